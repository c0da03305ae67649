---- advisory_bare

-- candidates: ?1 limit -> id, key
SELECT "id", 'accounts-' || COALESCE(CAST("account" AS text), '') || '/' || COALESCE(CAST("cents" AS
    text), '') FROM "jobs" ORDER BY "id" LIMIT ?1;

-- take: ?1 id, ?2 key -> id, payload
SELECT "id", "payload" FROM "jobs" WHERE "id" = ?1 AND 'accounts-' || COALESCE(CAST("account" AS
    text), '') || '/' || COALESCE(CAST("cents" AS text), '') = ?2;

-- ack: ?1 id
DELETE FROM "jobs" WHERE "id" = ?1;

-- dead_letter: ?1 id
INSERT INTO "graveyard" ("id", "queue", "priority", "retry_after", "attempt", "locked_until",
    "processed_at", "account", "cents", "headers", "payload") SELECT "id", "queue", "priority",
    "retry_after", "attempt", "locked_until", "processed_at", "account", "cents", "headers",
    "payload" FROM "jobs" WHERE "id" = ?1;

-- dead_letter: ?1 id
DELETE FROM "jobs" WHERE "id" = ?1;

-- unfinished -> seen
SELECT 1 FROM "jobs" WHERE typeof("id") IN ('integer', 'text') LIMIT 1;

-- insert: ?1 payload -> id
INSERT INTO "jobs" ("payload") VALUES (?1) RETURNING "id";

-- insert with everything: ?1 payload -> id
INSERT INTO "jobs" ("payload") VALUES (?1) RETURNING "id";

-- stats
SELECT '', count(*), 0, NULL, 0, NULL FROM "jobs";

-- list: ?1 limit
SELECT "id", NULL, 'due', NULL, NULL, "payload" FROM "jobs" ORDER BY "id" LIMIT ?1;

-- list what is due: ?1 limit
SELECT "id", NULL, 'due', NULL, NULL, "payload" FROM "jobs" ORDER BY "id" LIMIT ?1;

-- the claim index
CREATE INDEX IF NOT EXISTS "jobs_claim" ON "jobs" ("id");

---- advisory_usual

-- candidates: ?1 group, ?2 now, ?3 limit -> id, key
SELECT "id", 'accounts-' || COALESCE(CAST("account" AS text), '') FROM "jobs" WHERE "queue" = ?1 AND
    "retry_after" <= ?2 ORDER BY "retry_after", "id" LIMIT ?3;

-- take: ?1 id, ?2 group, ?3 now, ?4 key -> id, attempt, payload
UPDATE "jobs" SET "attempt" = COALESCE("attempt", 1) + 1 WHERE "id" = ?1 AND "queue" = ?2 AND
    "retry_after" <= ?3 AND 'accounts-' || COALESCE(CAST("account" AS text), '') = ?4 RETURNING
    "id", "attempt" - 1, "payload";

-- ack: ?1 id
DELETE FROM "jobs" WHERE "id" = ?1;

-- retry_after: ?1 due_at, ?2 id
UPDATE "jobs" SET "retry_after" = ?1 WHERE "id" = ?2;

-- give_back: ?1 id
UPDATE "jobs" SET "attempt" = "attempt" - 1 WHERE "id" = ?1;

-- dead_letter: ?1 destination, ?2 id
UPDATE "jobs" SET "queue" = ?1 WHERE "id" = ?2;

-- unfinished: ?1 group -> seen
SELECT 1 FROM "jobs" WHERE "queue" = ?1 AND typeof("id") IN ('integer', 'text') LIMIT 1;

-- insert: ?1 payload, ?2 group -> id
INSERT INTO "jobs" ("payload", "queue") VALUES (?1, ?2) RETURNING "id";

-- insert with everything: ?1 payload, ?2 group, ?3 due_at -> id
INSERT INTO "jobs" ("payload", "queue", "retry_after") VALUES (?1, ?2, ?3) RETURNING "id";

-- stats: ?1 now, ?2 now, ?3 now
SELECT "queue", count(*) FILTER (WHERE "retry_after" <= ?1), count(*) FILTER (WHERE "retry_after" >
    ?2), NULL, 0, min("retry_after") FILTER (WHERE "retry_after" <= ?3) FROM "jobs" GROUP BY 1 ORDER
    BY 1;

-- list: ?1 now, ?2 limit
SELECT "id", "queue", CASE WHEN "retry_after" > ?1 THEN 'delayed' ELSE 'due' END, "attempt",
    "retry_after", "payload" FROM "jobs" ORDER BY "retry_after", "id" LIMIT ?2;

-- list what is due: ?1 now, ?2 now, ?3 limit
SELECT "id", "queue", CASE WHEN "retry_after" > ?1 THEN 'delayed' ELSE 'due' END, "attempt",
    "retry_after", "payload" FROM "jobs" WHERE "retry_after" <= ?2 ORDER BY "retry_after", "id"
    LIMIT ?3;

-- the claim index
CREATE INDEX IF NOT EXISTS "jobs_claim" ON "jobs" ("queue", "retry_after", "id");

---- advisory_full

-- candidates: ?1 group, ?2 now, ?3 limit -> id, key
SELECT "id", 'accounts-' || COALESCE(CAST("account" AS text), '') FROM "jobs" WHERE "queue" = ?1 AND
    "retry_after" <= ?2 AND "processed_at" IS NULL ORDER BY "priority", "retry_after", "id" LIMIT ?3;

-- take: ?1 id, ?2 group, ?3 now, ?4 key -> id, attempt, headers, payload
UPDATE "jobs" SET "attempt" = COALESCE("attempt", 1) + 1 WHERE "id" = ?1 AND "queue" = ?2 AND
    "retry_after" <= ?3 AND "processed_at" IS NULL AND 'accounts-' || COALESCE(CAST("account" AS
    text), '') = ?4 RETURNING "id", "attempt" - 1, "headers", "payload";

-- ack: ?1 now, ?2 id
UPDATE "jobs" SET "processed_at" = ?1 WHERE "id" = ?2;

-- retry_after: ?1 due_at, ?2 id
UPDATE "jobs" SET "retry_after" = ?1 WHERE "id" = ?2;

-- give_back: ?1 id
UPDATE "jobs" SET "attempt" = "attempt" - 1 WHERE "id" = ?1;

-- dead_letter: ?1 destination, ?2 id
UPDATE "jobs" SET "queue" = ?1 WHERE "id" = ?2;

-- unfinished: ?1 group -> seen
SELECT 1 FROM "jobs" WHERE "queue" = ?1 AND "processed_at" IS NULL AND typeof("id") IN ('integer',
    'text') LIMIT 1;

-- insert: ?1 payload, ?2 group -> id
INSERT INTO "jobs" ("payload", "queue") VALUES (?1, ?2) RETURNING "id";

-- insert with everything: ?1 payload, ?2 group, ?3 priority, ?4 due_at, ?5 headers -> id
INSERT INTO "jobs" ("payload", "queue", "priority", "retry_after", "headers") VALUES (?1, ?2, ?3,
    ?4, ?5) RETURNING "id";

-- stats: ?1 now, ?2 now, ?3 now
SELECT "queue", count(*) FILTER (WHERE "processed_at" IS NULL AND "retry_after" <= ?1), count(*)
    FILTER (WHERE "processed_at" IS NULL AND "retry_after" > ?2), NULL, count(*) FILTER (WHERE
    "processed_at" IS NOT NULL), min("retry_after") FILTER (WHERE "processed_at" IS NULL AND
    "retry_after" <= ?3) FROM "jobs" GROUP BY 1 ORDER BY 1;

-- list: ?1 now, ?2 limit
SELECT "id", "queue", CASE WHEN "processed_at" IS NOT NULL THEN 'done' WHEN "processed_at" IS NULL
    AND "retry_after" > ?1 THEN 'delayed' ELSE 'due' END, "attempt", "retry_after", "payload" FROM
    "jobs" ORDER BY "priority", "retry_after", "id" LIMIT ?2;

-- list what is due: ?1 now, ?2 now, ?3 limit
SELECT "id", "queue", CASE WHEN "processed_at" IS NOT NULL THEN 'done' WHEN "processed_at" IS NULL
    AND "retry_after" > ?1 THEN 'delayed' ELSE 'due' END, "attempt", "retry_after", "payload" FROM
    "jobs" WHERE "processed_at" IS NULL AND "retry_after" <= ?2 ORDER BY "priority", "retry_after",
    "id" LIMIT ?3;

-- the claim index
CREATE INDEX IF NOT EXISTS "jobs_claim" ON "jobs" ("queue", "priority", "retry_after", "id") WHERE
    "processed_at" IS NULL;

---- advisory_one_queue

-- candidates: ?1 now, ?2 limit -> id, key
SELECT "id", 'accounts-' || COALESCE(CAST("account" AS text), '') FROM "jobs" WHERE "retry_after" <=
    ?1 ORDER BY "priority", "retry_after", "id" LIMIT ?2;

-- take: ?1 id, ?2 now, ?3 key -> id, attempt, headers, payload
UPDATE "jobs" SET "attempt" = COALESCE("attempt", 1) + 1 WHERE "id" = ?1 AND "retry_after" <= ?2 AND
    'accounts-' || COALESCE(CAST("account" AS text), '') = ?3 RETURNING "id", "attempt" - 1,
    "headers", "payload";

-- ack: ?1 id
DELETE FROM "jobs" WHERE "id" = ?1;

-- retry_after: ?1 due_at, ?2 id
UPDATE "jobs" SET "retry_after" = ?1 WHERE "id" = ?2;

-- give_back: ?1 id
UPDATE "jobs" SET "attempt" = "attempt" - 1 WHERE "id" = ?1;

-- dead_letter: ?1 id
INSERT INTO "graveyard" ("id", "queue", "priority", "retry_after", "attempt", "locked_until",
    "processed_at", "account", "cents", "headers", "payload") SELECT "id", "queue", "priority",
    "retry_after", "attempt", "locked_until", "processed_at", "account", "cents", "headers",
    "payload" FROM "jobs" WHERE "id" = ?1;

-- dead_letter: ?1 id
DELETE FROM "jobs" WHERE "id" = ?1;

-- unfinished -> seen
SELECT 1 FROM "jobs" WHERE typeof("id") IN ('integer', 'text') LIMIT 1;

-- insert: ?1 payload -> id
INSERT INTO "jobs" ("payload") VALUES (?1) RETURNING "id";

-- insert with everything: ?1 payload, ?2 priority, ?3 due_at, ?4 headers -> id
INSERT INTO "jobs" ("payload", "priority", "retry_after", "headers") VALUES (?1, ?2, ?3, ?4)
    RETURNING "id";

-- stats: ?1 now, ?2 now, ?3 now
SELECT '', count(*) FILTER (WHERE "retry_after" <= ?1), count(*) FILTER (WHERE "retry_after" > ?2),
    NULL, 0, min("retry_after") FILTER (WHERE "retry_after" <= ?3) FROM "jobs";

-- list: ?1 now, ?2 limit
SELECT "id", NULL, CASE WHEN "retry_after" > ?1 THEN 'delayed' ELSE 'due' END, "attempt",
    "retry_after", "payload" FROM "jobs" ORDER BY "priority", "retry_after", "id" LIMIT ?2;

-- list what is due: ?1 now, ?2 now, ?3 limit
SELECT "id", NULL, CASE WHEN "retry_after" > ?1 THEN 'delayed' ELSE 'due' END, "attempt",
    "retry_after", "payload" FROM "jobs" WHERE "retry_after" <= ?2 ORDER BY "priority",
    "retry_after", "id" LIMIT ?3;

-- the claim index
CREATE INDEX IF NOT EXISTS "jobs_claim" ON "jobs" ("priority", "retry_after", "id");

---- advisory_rows

-- candidates: ?1 limit -> id, key
SELECT "id", 'accounts-' || COALESCE(CAST("account" AS text), '') || '/' || COALESCE(CAST("cents" AS
    text), '') FROM "jobs" ORDER BY "id" LIMIT ?1;

-- take: ?1 id, ?2 key -> id, attempt, data, data, data
UPDATE "jobs" SET "attempt" = COALESCE("attempt", 1) + 1 WHERE "id" = ?1 AND 'accounts-' ||
    COALESCE(CAST("account" AS text), '') || '/' || COALESCE(CAST("cents" AS text), '') = ?2
    RETURNING "id", "attempt" - 1, "id", "account", "cents";

-- ack: ?1 id
DELETE FROM "jobs" WHERE "id" = ?1;

-- give_back: ?1 id
UPDATE "jobs" SET "attempt" = "attempt" - 1 WHERE "id" = ?1;

-- dead_letter: ?1 id
INSERT INTO "graveyard" ("id", "queue", "priority", "retry_after", "attempt", "locked_until",
    "processed_at", "account", "cents", "headers", "payload") SELECT "id", "queue", "priority",
    "retry_after", "attempt", "locked_until", "processed_at", "account", "cents", "headers",
    "payload" FROM "jobs" WHERE "id" = ?1;

-- dead_letter: ?1 id
DELETE FROM "jobs" WHERE "id" = ?1;

-- unfinished -> seen
SELECT 1 FROM "jobs" WHERE typeof("id") IN ('integer', 'text') LIMIT 1;

-- insert: ?1 id, ?2 data -> id
INSERT INTO "jobs" ("id", "account") VALUES (?1, ?2) RETURNING "id";

-- insert with everything: ?1 id, ?2 data -> id
INSERT INTO "jobs" ("id", "account") VALUES (?1, ?2) RETURNING "id";

-- stats
SELECT '', count(*), 0, NULL, 0, NULL FROM "jobs";

-- list: ?1 limit
SELECT "id", NULL, 'due', "attempt", NULL, NULL FROM "jobs" ORDER BY "id" LIMIT ?1;

-- list what is due: ?1 limit
SELECT "id", NULL, 'due', "attempt", NULL, NULL FROM "jobs" ORDER BY "id" LIMIT ?1;

-- the claim index
CREATE INDEX IF NOT EXISTS "jobs_claim" ON "jobs" ("id");

