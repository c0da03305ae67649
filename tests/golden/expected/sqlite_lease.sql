---- lease_bare

-- claim: ?1 expiry, ?2 now, ?3 limit -> id, token, payload
UPDATE "jobs" SET "locked_until" = ?1 WHERE "id" IN (SELECT "id" FROM "jobs" WHERE ("locked_until"
    IS NULL OR "locked_until" <= ?2) ORDER BY "id" LIMIT ?3) RETURNING "id", "locked_until",
    "payload";

-- ack: ?1 id, ?2 token
DELETE FROM "jobs" WHERE "id" = ?1 AND "locked_until" = ?2;

-- retry: ?1 id, ?2 token
UPDATE "jobs" SET "locked_until" = NULL WHERE "id" = ?1 AND "locked_until" = ?2;

-- give_back: ?1 id, ?2 token
UPDATE "jobs" SET "locked_until" = NULL WHERE "id" = ?1 AND "locked_until" = ?2;

-- dead_letter: ?1 id, ?2 token
INSERT INTO "graveyard" ("id", "queue", "priority", "retry_after", "attempt", "locked_until",
    "processed_at", "account", "cents", "headers", "payload") SELECT "id", "queue", "priority",
    "retry_after", "attempt", NULL, "processed_at", "account", "cents", "headers", "payload" FROM
    "jobs" WHERE "id" = ?1 AND "locked_until" = ?2;

-- dead_letter: ?1 id, ?2 token
DELETE FROM "jobs" WHERE "id" = ?1 AND "locked_until" = ?2;

-- renew: ?1 ids, ?2 tokens, ?3 expiry -> id, token
WITH rowq_ids AS MATERIALIZED (SELECT key, value FROM json_each(?1)), rowq_tokens AS MATERIALIZED
    (SELECT key, value FROM json_each(?2)) UPDATE "jobs" SET "locked_until" = ?3 WHERE ("id",
    "locked_until") IN (SELECT i.value, t.value FROM rowq_ids AS i JOIN rowq_tokens AS t ON t.key =
    i.key) RETURNING "id", "locked_until";

-- unfinished -> seen
SELECT 1 FROM "jobs" WHERE typeof("id") IN ('integer', 'text') LIMIT 1;

-- insert: ?1 payload -> id
INSERT INTO "jobs" ("payload") VALUES (?1) RETURNING "id";

-- insert with everything: ?1 payload -> id
INSERT INTO "jobs" ("payload") VALUES (?1) RETURNING "id";

-- stats: ?1 now, ?2 now
SELECT '', count(*) FILTER (WHERE ("locked_until" IS NULL OR "locked_until" <= ?1)), 0, count(*)
    FILTER (WHERE "locked_until" > ?2), 0, NULL FROM "jobs";

-- list: ?1 now, ?2 limit
SELECT "id", NULL, CASE WHEN "locked_until" > ?1 THEN 'working' ELSE 'due' END, NULL, NULL,
    "payload" FROM "jobs" ORDER BY "id" LIMIT ?2;

-- list what is due: ?1 now, ?2 now, ?3 limit
SELECT "id", NULL, CASE WHEN "locked_until" > ?1 THEN 'working' ELSE 'due' END, NULL, NULL,
    "payload" FROM "jobs" WHERE ("locked_until" IS NULL OR "locked_until" <= ?2) ORDER BY "id" LIMIT
    ?3;

-- the claim index
CREATE INDEX IF NOT EXISTS "jobs_claim" ON "jobs" ("id");

---- lease_usual

-- claim: ?1 expiry, ?2 group, ?3 now, ?4 now, ?5 limit -> id, attempt, token, payload, retry_after
UPDATE "jobs" SET "locked_until" = ?1, "attempt" = COALESCE("attempt", 1) + 1 WHERE "id" IN (SELECT
    "id" FROM "jobs" WHERE "queue" = ?2 AND "retry_after" <= ?3 AND ("locked_until" IS NULL OR
    "locked_until" <= ?4) ORDER BY "retry_after", "id" LIMIT ?5) RETURNING "id", "attempt" - 1,
    "locked_until", "payload", "retry_after";

-- ack: ?1 id, ?2 token
DELETE FROM "jobs" WHERE "id" = ?1 AND "locked_until" = ?2;

-- retry: ?1 id, ?2 token
UPDATE "jobs" SET "locked_until" = NULL WHERE "id" = ?1 AND "locked_until" = ?2;

-- retry_after: ?1 due_at, ?2 id, ?3 token
UPDATE "jobs" SET "retry_after" = ?1, "locked_until" = NULL WHERE "id" = ?2 AND "locked_until" = ?3;

-- give_back: ?1 id, ?2 token
UPDATE "jobs" SET "locked_until" = NULL, "attempt" = "attempt" - 1 WHERE "id" = ?1 AND
    "locked_until" = ?2;

-- dead_letter: ?1 destination, ?2 id, ?3 token
UPDATE "jobs" SET "queue" = ?1, "locked_until" = NULL WHERE "id" = ?2 AND "locked_until" = ?3;

-- renew: ?1 ids, ?2 tokens, ?3 expiry -> id, token
WITH rowq_ids AS MATERIALIZED (SELECT key, value FROM json_each(?1)), rowq_tokens AS MATERIALIZED
    (SELECT key, value FROM json_each(?2)) UPDATE "jobs" SET "locked_until" = ?3 WHERE ("id",
    "locked_until") IN (SELECT i.value, t.value FROM rowq_ids AS i JOIN rowq_tokens AS t ON t.key =
    i.key) RETURNING "id", "locked_until";

-- unfinished: ?1 group -> seen
SELECT 1 FROM "jobs" WHERE "queue" = ?1 AND typeof("id") IN ('integer', 'text') LIMIT 1;

-- insert: ?1 payload, ?2 group -> id
INSERT INTO "jobs" ("payload", "queue") VALUES (?1, ?2) RETURNING "id";

-- insert with everything: ?1 payload, ?2 group, ?3 due_at -> id
INSERT INTO "jobs" ("payload", "queue", "retry_after") VALUES (?1, ?2, ?3) RETURNING "id";

-- stats: ?1 now, ?2 now, ?3 now, ?4 now, ?5 now, ?6 now, ?7 now
SELECT "queue", count(*) FILTER (WHERE ("locked_until" IS NULL OR "locked_until" <= ?1) AND
    "retry_after" <= ?2), count(*) FILTER (WHERE ("locked_until" IS NULL OR "locked_until" <= ?3)
    AND "retry_after" > ?4), count(*) FILTER (WHERE "locked_until" > ?5), 0, min("retry_after")
    FILTER (WHERE ("locked_until" IS NULL OR "locked_until" <= ?6) AND "retry_after" <= ?7) FROM
    "jobs" GROUP BY 1 ORDER BY 1;

-- list: ?1 now, ?2 now, ?3 now, ?4 limit
SELECT "id", "queue", CASE WHEN "locked_until" > ?1 THEN 'working' WHEN ("locked_until" IS NULL OR
    "locked_until" <= ?2) AND "retry_after" > ?3 THEN 'delayed' ELSE 'due' END, "attempt",
    "retry_after", "payload" FROM "jobs" ORDER BY "retry_after", "id" LIMIT ?4;

-- list what is due: ?1 now, ?2 now, ?3 now, ?4 now, ?5 now, ?6 limit
SELECT "id", "queue", CASE WHEN "locked_until" > ?1 THEN 'working' WHEN ("locked_until" IS NULL OR
    "locked_until" <= ?2) AND "retry_after" > ?3 THEN 'delayed' ELSE 'due' END, "attempt",
    "retry_after", "payload" FROM "jobs" WHERE ("locked_until" IS NULL OR "locked_until" <= ?4) AND
    "retry_after" <= ?5 ORDER BY "retry_after", "id" LIMIT ?6;

-- the claim index
CREATE INDEX IF NOT EXISTS "jobs_claim" ON "jobs" ("queue", "retry_after", "id");

---- lease_full

-- claim: ?1 expiry, ?2 group, ?3 now, ?4 now, ?5 limit -> id, attempt, token, headers, payload, priority, retry_after
UPDATE "jobs" SET "locked_until" = ?1, "attempt" = COALESCE("attempt", 1) + 1 WHERE "id" IN (SELECT
    "id" FROM "jobs" WHERE "queue" = ?2 AND "retry_after" <= ?3 AND "processed_at" IS NULL AND
    ("locked_until" IS NULL OR "locked_until" <= ?4) ORDER BY "priority", "retry_after", "id" LIMIT
    ?5) RETURNING "id", "attempt" - 1, "locked_until", "headers", "payload", "priority",
    "retry_after";

-- ack: ?1 now, ?2 id, ?3 token
UPDATE "jobs" SET "processed_at" = ?1, "locked_until" = NULL WHERE "id" = ?2 AND "locked_until" = ?3;

-- retry: ?1 id, ?2 token
UPDATE "jobs" SET "locked_until" = NULL WHERE "id" = ?1 AND "locked_until" = ?2;

-- retry_after: ?1 due_at, ?2 id, ?3 token
UPDATE "jobs" SET "retry_after" = ?1, "locked_until" = NULL WHERE "id" = ?2 AND "locked_until" = ?3;

-- give_back: ?1 id, ?2 token
UPDATE "jobs" SET "locked_until" = NULL, "attempt" = "attempt" - 1 WHERE "id" = ?1 AND
    "locked_until" = ?2;

-- dead_letter: ?1 destination, ?2 id, ?3 token
UPDATE "jobs" SET "queue" = ?1, "locked_until" = NULL WHERE "id" = ?2 AND "locked_until" = ?3;

-- renew: ?1 ids, ?2 tokens, ?3 expiry -> id, token
WITH rowq_ids AS MATERIALIZED (SELECT key, value FROM json_each(?1)), rowq_tokens AS MATERIALIZED
    (SELECT key, value FROM json_each(?2)) UPDATE "jobs" SET "locked_until" = ?3 WHERE ("id",
    "locked_until") IN (SELECT i.value, t.value FROM rowq_ids AS i JOIN rowq_tokens AS t ON t.key =
    i.key) RETURNING "id", "locked_until";

-- unfinished: ?1 group -> seen
SELECT 1 FROM "jobs" WHERE "queue" = ?1 AND "processed_at" IS NULL AND typeof("id") IN ('integer',
    'text') LIMIT 1;

-- insert: ?1 payload, ?2 group -> id
INSERT INTO "jobs" ("payload", "queue") VALUES (?1, ?2) RETURNING "id";

-- insert with everything: ?1 payload, ?2 group, ?3 priority, ?4 due_at, ?5 headers -> id
INSERT INTO "jobs" ("payload", "queue", "priority", "retry_after", "headers") VALUES (?1, ?2, ?3,
    ?4, ?5) RETURNING "id";

-- stats: ?1 now, ?2 now, ?3 now, ?4 now, ?5 now, ?6 now, ?7 now
SELECT "queue", count(*) FILTER (WHERE "processed_at" IS NULL AND ("locked_until" IS NULL OR
    "locked_until" <= ?1) AND "retry_after" <= ?2), count(*) FILTER (WHERE "processed_at" IS NULL
    AND ("locked_until" IS NULL OR "locked_until" <= ?3) AND "retry_after" > ?4), count(*) FILTER
    (WHERE "processed_at" IS NULL AND "locked_until" > ?5), count(*) FILTER (WHERE "processed_at" IS
    NOT NULL), min("retry_after") FILTER (WHERE "processed_at" IS NULL AND ("locked_until" IS NULL
    OR "locked_until" <= ?6) AND "retry_after" <= ?7) FROM "jobs" GROUP BY 1 ORDER BY 1;

-- list: ?1 now, ?2 now, ?3 now, ?4 limit
SELECT "id", "queue", CASE WHEN "processed_at" IS NOT NULL THEN 'done' WHEN "processed_at" IS NULL
    AND "locked_until" > ?1 THEN 'working' WHEN "processed_at" IS NULL AND ("locked_until" IS NULL
    OR "locked_until" <= ?2) AND "retry_after" > ?3 THEN 'delayed' ELSE 'due' END, "attempt",
    "retry_after", "payload" FROM "jobs" ORDER BY "priority", "retry_after", "id" LIMIT ?4;

-- list what is due: ?1 now, ?2 now, ?3 now, ?4 now, ?5 now, ?6 limit
SELECT "id", "queue", CASE WHEN "processed_at" IS NOT NULL THEN 'done' WHEN "processed_at" IS NULL
    AND "locked_until" > ?1 THEN 'working' WHEN "processed_at" IS NULL AND ("locked_until" IS NULL
    OR "locked_until" <= ?2) AND "retry_after" > ?3 THEN 'delayed' ELSE 'due' END, "attempt",
    "retry_after", "payload" FROM "jobs" WHERE "processed_at" IS NULL AND ("locked_until" IS NULL OR
    "locked_until" <= ?4) AND "retry_after" <= ?5 ORDER BY "priority", "retry_after", "id" LIMIT ?6;

-- the claim index
CREATE INDEX IF NOT EXISTS "jobs_claim" ON "jobs" ("queue", "priority", "retry_after", "id") WHERE
    "processed_at" IS NULL;

---- lease_one_queue

-- claim: ?1 expiry, ?2 now, ?3 now, ?4 limit -> id, attempt, token, headers, payload, priority, retry_after
UPDATE "jobs" SET "locked_until" = ?1, "attempt" = COALESCE("attempt", 1) + 1 WHERE "id" IN (SELECT
    "id" FROM "jobs" WHERE "retry_after" <= ?2 AND ("locked_until" IS NULL OR "locked_until" <= ?3)
    ORDER BY "priority", "retry_after", "id" LIMIT ?4) RETURNING "id", "attempt" - 1,
    "locked_until", "headers", "payload", "priority", "retry_after";

-- ack: ?1 id, ?2 token
DELETE FROM "jobs" WHERE "id" = ?1 AND "locked_until" = ?2;

-- retry: ?1 id, ?2 token
UPDATE "jobs" SET "locked_until" = NULL WHERE "id" = ?1 AND "locked_until" = ?2;

-- retry_after: ?1 due_at, ?2 id, ?3 token
UPDATE "jobs" SET "retry_after" = ?1, "locked_until" = NULL WHERE "id" = ?2 AND "locked_until" = ?3;

-- give_back: ?1 id, ?2 token
UPDATE "jobs" SET "locked_until" = NULL, "attempt" = "attempt" - 1 WHERE "id" = ?1 AND
    "locked_until" = ?2;

-- dead_letter: ?1 id, ?2 token
INSERT INTO "graveyard" ("id", "queue", "priority", "retry_after", "attempt", "locked_until",
    "processed_at", "account", "cents", "headers", "payload") SELECT "id", "queue", "priority",
    "retry_after", "attempt", NULL, "processed_at", "account", "cents", "headers", "payload" FROM
    "jobs" WHERE "id" = ?1 AND "locked_until" = ?2;

-- dead_letter: ?1 id, ?2 token
DELETE FROM "jobs" WHERE "id" = ?1 AND "locked_until" = ?2;

-- renew: ?1 ids, ?2 tokens, ?3 expiry -> id, token
WITH rowq_ids AS MATERIALIZED (SELECT key, value FROM json_each(?1)), rowq_tokens AS MATERIALIZED
    (SELECT key, value FROM json_each(?2)) UPDATE "jobs" SET "locked_until" = ?3 WHERE ("id",
    "locked_until") IN (SELECT i.value, t.value FROM rowq_ids AS i JOIN rowq_tokens AS t ON t.key =
    i.key) RETURNING "id", "locked_until";

-- unfinished -> seen
SELECT 1 FROM "jobs" WHERE typeof("id") IN ('integer', 'text') LIMIT 1;

-- insert: ?1 payload -> id
INSERT INTO "jobs" ("payload") VALUES (?1) RETURNING "id";

-- insert with everything: ?1 payload, ?2 priority, ?3 due_at, ?4 headers -> id
INSERT INTO "jobs" ("payload", "priority", "retry_after", "headers") VALUES (?1, ?2, ?3, ?4)
    RETURNING "id";

-- stats: ?1 now, ?2 now, ?3 now, ?4 now, ?5 now, ?6 now, ?7 now
SELECT '', count(*) FILTER (WHERE ("locked_until" IS NULL OR "locked_until" <= ?1) AND "retry_after"
    <= ?2), count(*) FILTER (WHERE ("locked_until" IS NULL OR "locked_until" <= ?3) AND
    "retry_after" > ?4), count(*) FILTER (WHERE "locked_until" > ?5), 0, min("retry_after") FILTER
    (WHERE ("locked_until" IS NULL OR "locked_until" <= ?6) AND "retry_after" <= ?7) FROM "jobs";

-- list: ?1 now, ?2 now, ?3 now, ?4 limit
SELECT "id", NULL, CASE WHEN "locked_until" > ?1 THEN 'working' WHEN ("locked_until" IS NULL OR
    "locked_until" <= ?2) AND "retry_after" > ?3 THEN 'delayed' ELSE 'due' END, "attempt",
    "retry_after", "payload" FROM "jobs" ORDER BY "priority", "retry_after", "id" LIMIT ?4;

-- list what is due: ?1 now, ?2 now, ?3 now, ?4 now, ?5 now, ?6 limit
SELECT "id", NULL, CASE WHEN "locked_until" > ?1 THEN 'working' WHEN ("locked_until" IS NULL OR
    "locked_until" <= ?2) AND "retry_after" > ?3 THEN 'delayed' ELSE 'due' END, "attempt",
    "retry_after", "payload" FROM "jobs" WHERE ("locked_until" IS NULL OR "locked_until" <= ?4) AND
    "retry_after" <= ?5 ORDER BY "priority", "retry_after", "id" LIMIT ?6;

-- the claim index
CREATE INDEX IF NOT EXISTS "jobs_claim" ON "jobs" ("priority", "retry_after", "id");

---- lease_rows

-- claim: ?1 expiry, ?2 now, ?3 limit -> id, attempt, token, data, data, data
UPDATE "jobs" SET "locked_until" = ?1, "attempt" = COALESCE("attempt", 1) + 1 WHERE "id" IN (SELECT
    "id" FROM "jobs" WHERE ("locked_until" IS NULL OR "locked_until" <= ?2) ORDER BY "id" LIMIT ?3)
    RETURNING "id", "attempt" - 1, "locked_until", "id", "account", "cents";

-- ack: ?1 id, ?2 token
DELETE FROM "jobs" WHERE "id" = ?1 AND "locked_until" = ?2;

-- retry: ?1 id, ?2 token
UPDATE "jobs" SET "locked_until" = NULL WHERE "id" = ?1 AND "locked_until" = ?2;

-- give_back: ?1 id, ?2 token
UPDATE "jobs" SET "locked_until" = NULL, "attempt" = "attempt" - 1 WHERE "id" = ?1 AND
    "locked_until" = ?2;

-- dead_letter: ?1 id, ?2 token
INSERT INTO "graveyard" ("id", "queue", "priority", "retry_after", "attempt", "locked_until",
    "processed_at", "account", "cents", "headers", "payload") SELECT "id", "queue", "priority",
    "retry_after", "attempt", NULL, "processed_at", "account", "cents", "headers", "payload" FROM
    "jobs" WHERE "id" = ?1 AND "locked_until" = ?2;

-- dead_letter: ?1 id, ?2 token
DELETE FROM "jobs" WHERE "id" = ?1 AND "locked_until" = ?2;

-- renew: ?1 ids, ?2 tokens, ?3 expiry -> id, token
WITH rowq_ids AS MATERIALIZED (SELECT key, value FROM json_each(?1)), rowq_tokens AS MATERIALIZED
    (SELECT key, value FROM json_each(?2)) UPDATE "jobs" SET "locked_until" = ?3 WHERE ("id",
    "locked_until") IN (SELECT i.value, t.value FROM rowq_ids AS i JOIN rowq_tokens AS t ON t.key =
    i.key) RETURNING "id", "locked_until";

-- unfinished -> seen
SELECT 1 FROM "jobs" WHERE typeof("id") IN ('integer', 'text') LIMIT 1;

-- insert: ?1 id, ?2 data -> id
INSERT INTO "jobs" ("id", "account") VALUES (?1, ?2) RETURNING "id";

-- insert with everything: ?1 id, ?2 data -> id
INSERT INTO "jobs" ("id", "account") VALUES (?1, ?2) RETURNING "id";

-- stats: ?1 now, ?2 now
SELECT '', count(*) FILTER (WHERE ("locked_until" IS NULL OR "locked_until" <= ?1)), 0, count(*)
    FILTER (WHERE "locked_until" > ?2), 0, NULL FROM "jobs";

-- list: ?1 now, ?2 limit
SELECT "id", NULL, CASE WHEN "locked_until" > ?1 THEN 'working' ELSE 'due' END, "attempt", NULL,
    NULL FROM "jobs" ORDER BY "id" LIMIT ?2;

-- list what is due: ?1 now, ?2 now, ?3 limit
SELECT "id", NULL, CASE WHEN "locked_until" > ?1 THEN 'working' ELSE 'due' END, "attempt", NULL,
    NULL FROM "jobs" WHERE ("locked_until" IS NULL OR "locked_until" <= ?2) ORDER BY "id" LIMIT ?3;

-- the claim index
CREATE INDEX IF NOT EXISTS "jobs_claim" ON "jobs" ("id");

---- lease_quoted

-- claim: ?1 expiry, ?2 group, ?3 now, ?4 limit -> id, token, payload
UPDATE "main"."Two ""Words""" SET "lease end" = ?1 WHERE "The ""Id""" IN (SELECT "The ""Id""" FROM
    "main"."Two ""Words""" WHERE "select" = ?2 AND ("lease end" IS NULL OR "lease end" <= ?3) ORDER
    BY "The ""Id""" LIMIT ?4) RETURNING "The ""Id""", "lease end", "payload";

-- ack: ?1 id, ?2 token
DELETE FROM "main"."Two ""Words""" WHERE "The ""Id""" = ?1 AND "lease end" = ?2;

-- retry: ?1 id, ?2 token
UPDATE "main"."Two ""Words""" SET "lease end" = NULL WHERE "The ""Id""" = ?1 AND "lease end" = ?2;

-- give_back: ?1 id, ?2 token
UPDATE "main"."Two ""Words""" SET "lease end" = NULL WHERE "The ""Id""" = ?1 AND "lease end" = ?2;

-- dead_letter: ?1 destination, ?2 id, ?3 token
UPDATE "main"."Two ""Words""" SET "select" = ?1, "lease end" = NULL WHERE "The ""Id""" = ?2 AND
    "lease end" = ?3;

-- renew: ?1 ids, ?2 tokens, ?3 expiry -> id, token
WITH rowq_ids AS MATERIALIZED (SELECT key, value FROM json_each(?1)), rowq_tokens AS MATERIALIZED
    (SELECT key, value FROM json_each(?2)) UPDATE "main"."Two ""Words""" SET "lease end" = ?3 WHERE
    ("The ""Id""", "lease end") IN (SELECT i.value, t.value FROM rowq_ids AS i JOIN rowq_tokens AS t
    ON t.key = i.key) RETURNING "The ""Id""", "lease end";

-- unfinished: ?1 group -> seen
SELECT 1 FROM "main"."Two ""Words""" WHERE "select" = ?1 AND typeof("The ""Id""") IN ('integer',
    'text') LIMIT 1;

-- insert: ?1 group, ?2 payload -> id
INSERT INTO "main"."Two ""Words""" ("select", "payload") VALUES (?1, ?2) RETURNING "The ""Id""";

-- insert with everything: ?1 group, ?2 payload -> id
INSERT INTO "main"."Two ""Words""" ("select", "payload") VALUES (?1, ?2) RETURNING "The ""Id""";

-- stats: ?1 now, ?2 now
SELECT "select", count(*) FILTER (WHERE ("lease end" IS NULL OR "lease end" <= ?1)), 0, count(*)
    FILTER (WHERE "lease end" > ?2), 0, NULL FROM "main"."Two ""Words""" GROUP BY 1 ORDER BY 1;

-- list: ?1 now, ?2 limit
SELECT "The ""Id""", "select", CASE WHEN "lease end" > ?1 THEN 'working' ELSE 'due' END, NULL, NULL,
    "payload" FROM "main"."Two ""Words""" ORDER BY "The ""Id""" LIMIT ?2;

-- list what is due: ?1 now, ?2 now, ?3 limit
SELECT "The ""Id""", "select", CASE WHEN "lease end" > ?1 THEN 'working' ELSE 'due' END, NULL, NULL,
    "payload" FROM "main"."Two ""Words""" WHERE ("lease end" IS NULL OR "lease end" <= ?2) ORDER BY
    "The ""Id""" LIMIT ?3;

-- the claim index
CREATE INDEX IF NOT EXISTS "main"."Two ""Words""_claim" ON "Two ""Words""" ("select", "The ""Id""");

