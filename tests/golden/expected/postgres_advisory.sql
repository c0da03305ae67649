---- advisory_bare

-- claim: $1 limit -> lock, seen, id, payload
WITH rowq_due AS MATERIALIZED (SELECT "id" AS rowq_id, hashtextextended('accounts-' ||
    COALESCE(CAST("account" AS text), '') || '/' || COALESCE(CAST("cents" AS text), ''), 0) AS
    rowq_lock FROM "jobs" ORDER BY "id" LIMIT $1), rowq_tried AS MATERIALIZED (SELECT rowq_id,
    rowq_lock FROM rowq_due WHERE pg_try_advisory_lock(rowq_lock) LIMIT 1), rowq_taken AS (SELECT
    "id" AS c0, "payload" AS c1 FROM "jobs" AS rowq_row JOIN rowq_tried ON rowq_row."id" = rowq_id
    AND hashtextextended('accounts-' || COALESCE(CAST("account" AS text), '') || '/' ||
    COALESCE(CAST("cents" AS text), ''), 0) = rowq_lock FOR UPDATE OF rowq_row) SELECT rowq_lock,
    (SELECT count(*) FROM rowq_due), c0, c1 FROM (VALUES (1)) AS rowq_one LEFT JOIN rowq_tried ON
    true LEFT JOIN rowq_taken ON true;

-- ack: $1 id
DELETE FROM "jobs" WHERE "id" = $1;

-- dead_letter: $1 id
WITH rowq_gone AS (DELETE FROM "jobs" WHERE "id" = $1 RETURNING "id", "queue", "priority",
    "retry_after", "attempt", "locked_until", "processed_at", "account", "cents", "headers",
    "payload") INSERT INTO "graveyard" ("id", "queue", "priority", "retry_after", "attempt",
    "locked_until", "processed_at", "account", "cents", "headers", "payload") OVERRIDING SYSTEM
    VALUE SELECT "id", "queue", "priority", "retry_after", "attempt", "locked_until",
    "processed_at", "account", "cents", "headers", "payload" FROM rowq_gone;

-- unfinished -> seen
SELECT 1 FROM "jobs" LIMIT 1;

-- unlock: $1 lock
SELECT pg_advisory_unlock($1);

-- insert: $1 payload -> id
INSERT INTO "jobs" ("payload") VALUES ($1) RETURNING "id";

-- insert with everything: $1 payload -> id
INSERT INTO "jobs" ("payload") VALUES ($1) RETURNING "id";

-- stats
SELECT '', count(*), 0, NULL, 0, NULL FROM "jobs";

-- list: $1 limit
SELECT "id", NULL, 'due', NULL, NULL, "payload" FROM "jobs" ORDER BY "id" LIMIT $1;

-- list what is due: $1 limit
SELECT "id", NULL, 'due', NULL, NULL, "payload" FROM "jobs" ORDER BY "id" LIMIT $1;

-- the claim index
CREATE INDEX IF NOT EXISTS "jobs_claim" ON "jobs" ("id");

---- advisory_usual

-- claim: $1 group, $2 now, $3 limit, $4 group, $5 now -> lock, seen, id, attempt, payload
WITH rowq_due AS MATERIALIZED (SELECT "id" AS rowq_id, hashtextextended('accounts-' ||
    COALESCE(CAST("account" AS text), ''), 0) AS rowq_lock FROM "jobs" WHERE "queue" = $1 AND
    "retry_after" <= $2 ORDER BY "retry_after", "id" LIMIT $3), rowq_tried AS MATERIALIZED (SELECT
    rowq_id, rowq_lock FROM rowq_due WHERE pg_try_advisory_lock(rowq_lock) LIMIT 1), rowq_taken AS
    (UPDATE "jobs" SET "attempt" = COALESCE("attempt", 1) + 1 FROM rowq_tried WHERE "id" = rowq_id
    AND "queue" = $4 AND "retry_after" <= $5 AND hashtextextended('accounts-' ||
    COALESCE(CAST("account" AS text), ''), 0) = rowq_lock RETURNING "id" AS c0, "attempt" - 1 AS c1,
    "payload" AS c2) SELECT rowq_lock, (SELECT count(*) FROM rowq_due), c0, c1, c2 FROM (VALUES (1))
    AS rowq_one LEFT JOIN rowq_tried ON true LEFT JOIN rowq_taken ON true;

-- ack: $1 id
DELETE FROM "jobs" WHERE "id" = $1;

-- retry_after: $1 due_at, $2 id
UPDATE "jobs" SET "retry_after" = $1 WHERE "id" = $2;

-- give_back: $1 id
UPDATE "jobs" SET "attempt" = "attempt" - 1 WHERE "id" = $1;

-- dead_letter: $1 destination, $2 id
UPDATE "jobs" SET "queue" = $1 WHERE "id" = $2;

-- unfinished: $1 group -> seen
SELECT 1 FROM "jobs" WHERE "queue" = $1 LIMIT 1;

-- unlock: $1 lock
SELECT pg_advisory_unlock($1);

-- insert: $1 payload, $2 group -> id
INSERT INTO "jobs" ("payload", "queue") VALUES ($1, $2) RETURNING "id";

-- insert with everything: $1 payload, $2 group, $3 due_at -> id
INSERT INTO "jobs" ("payload", "queue", "retry_after") VALUES ($1, $2, $3) RETURNING "id";

-- stats: $1 now, $2 now, $3 now
SELECT "queue", count(*) FILTER (WHERE "retry_after" <= $1), count(*) FILTER (WHERE "retry_after" >
    $2), NULL, 0, min("retry_after") FILTER (WHERE "retry_after" <= $3) FROM "jobs" GROUP BY 1 ORDER
    BY 1;

-- list: $1 now, $2 limit
SELECT "id", "queue", CASE WHEN "retry_after" > $1 THEN 'delayed' ELSE 'due' END, "attempt",
    "retry_after", "payload" FROM "jobs" ORDER BY "retry_after", "id" LIMIT $2;

-- list what is due: $1 now, $2 now, $3 limit
SELECT "id", "queue", CASE WHEN "retry_after" > $1 THEN 'delayed' ELSE 'due' END, "attempt",
    "retry_after", "payload" FROM "jobs" WHERE "retry_after" <= $2 ORDER BY "retry_after", "id"
    LIMIT $3;

-- the claim index
CREATE INDEX IF NOT EXISTS "jobs_claim" ON "jobs" ("queue", "retry_after", "id");

---- advisory_full

-- claim: $1 group, $2 now, $3 limit, $4 group, $5 now -> lock, seen, id, attempt, headers, payload
WITH rowq_due AS MATERIALIZED (SELECT "id" AS rowq_id, hashtextextended('accounts-' ||
    COALESCE(CAST("account" AS text), ''), 0) AS rowq_lock FROM "jobs" WHERE "queue" = $1 AND
    "retry_after" <= $2 AND "processed_at" IS NULL ORDER BY "priority", "retry_after", "id" LIMIT
    $3), rowq_tried AS MATERIALIZED (SELECT rowq_id, rowq_lock FROM rowq_due WHERE
    pg_try_advisory_lock(rowq_lock) LIMIT 1), rowq_taken AS (UPDATE "jobs" SET "attempt" =
    COALESCE("attempt", 1) + 1 FROM rowq_tried WHERE "id" = rowq_id AND "queue" = $4 AND
    "retry_after" <= $5 AND "processed_at" IS NULL AND hashtextextended('accounts-' ||
    COALESCE(CAST("account" AS text), ''), 0) = rowq_lock RETURNING "id" AS c0, "attempt" - 1 AS c1,
    "headers" AS c2, "payload" AS c3) SELECT rowq_lock, (SELECT count(*) FROM rowq_due), c0, c1, c2,
    c3 FROM (VALUES (1)) AS rowq_one LEFT JOIN rowq_tried ON true LEFT JOIN rowq_taken ON true;

-- ack: $1 now, $2 id
UPDATE "jobs" SET "processed_at" = $1 WHERE "id" = $2;

-- retry_after: $1 due_at, $2 id
UPDATE "jobs" SET "retry_after" = $1 WHERE "id" = $2;

-- give_back: $1 id
UPDATE "jobs" SET "attempt" = "attempt" - 1 WHERE "id" = $1;

-- dead_letter: $1 destination, $2 id
UPDATE "jobs" SET "queue" = $1 WHERE "id" = $2;

-- unfinished: $1 group -> seen
SELECT 1 FROM "jobs" WHERE "queue" = $1 AND "processed_at" IS NULL LIMIT 1;

-- unlock: $1 lock
SELECT pg_advisory_unlock($1);

-- insert: $1 payload, $2 group -> id
INSERT INTO "jobs" ("payload", "queue") VALUES ($1, $2) RETURNING "id";

-- insert with everything: $1 payload, $2 group, $3 priority, $4 due_at, $5 headers -> id
INSERT INTO "jobs" ("payload", "queue", "priority", "retry_after", "headers") VALUES ($1, $2, $3,
    $4, $5) RETURNING "id";

-- stats: $1 now, $2 now, $3 now
SELECT "queue", count(*) FILTER (WHERE "processed_at" IS NULL AND "retry_after" <= $1), count(*)
    FILTER (WHERE "processed_at" IS NULL AND "retry_after" > $2), NULL, count(*) FILTER (WHERE
    "processed_at" IS NOT NULL), min("retry_after") FILTER (WHERE "processed_at" IS NULL AND
    "retry_after" <= $3) FROM "jobs" GROUP BY 1 ORDER BY 1;

-- list: $1 now, $2 limit
SELECT "id", "queue", CASE WHEN "processed_at" IS NOT NULL THEN 'done' WHEN "processed_at" IS NULL
    AND "retry_after" > $1 THEN 'delayed' ELSE 'due' END, "attempt", "retry_after", "payload" FROM
    "jobs" ORDER BY "priority", "retry_after", "id" LIMIT $2;

-- list what is due: $1 now, $2 now, $3 limit
SELECT "id", "queue", CASE WHEN "processed_at" IS NOT NULL THEN 'done' WHEN "processed_at" IS NULL
    AND "retry_after" > $1 THEN 'delayed' ELSE 'due' END, "attempt", "retry_after", "payload" FROM
    "jobs" WHERE "processed_at" IS NULL AND "retry_after" <= $2 ORDER BY "priority", "retry_after",
    "id" LIMIT $3;

-- the claim index
CREATE INDEX IF NOT EXISTS "jobs_claim" ON "jobs" ("queue", "priority", "retry_after", "id") WHERE
    "processed_at" IS NULL;

---- advisory_one_queue

-- claim: $1 now, $2 limit, $3 now -> lock, seen, id, attempt, headers, payload
WITH rowq_due AS MATERIALIZED (SELECT "id" AS rowq_id, hashtextextended('accounts-' ||
    COALESCE(CAST("account" AS text), ''), 0) AS rowq_lock FROM "jobs" WHERE "retry_after" <= $1
    ORDER BY "priority", "retry_after", "id" LIMIT $2), rowq_tried AS MATERIALIZED (SELECT rowq_id,
    rowq_lock FROM rowq_due WHERE pg_try_advisory_lock(rowq_lock) LIMIT 1), rowq_taken AS (UPDATE
    "jobs" SET "attempt" = COALESCE("attempt", 1) + 1 FROM rowq_tried WHERE "id" = rowq_id AND
    "retry_after" <= $3 AND hashtextextended('accounts-' || COALESCE(CAST("account" AS text), ''),
    0) = rowq_lock RETURNING "id" AS c0, "attempt" - 1 AS c1, "headers" AS c2, "payload" AS c3)
    SELECT rowq_lock, (SELECT count(*) FROM rowq_due), c0, c1, c2, c3 FROM (VALUES (1)) AS rowq_one
    LEFT JOIN rowq_tried ON true LEFT JOIN rowq_taken ON true;

-- ack: $1 id
DELETE FROM "jobs" WHERE "id" = $1;

-- retry_after: $1 due_at, $2 id
UPDATE "jobs" SET "retry_after" = $1 WHERE "id" = $2;

-- give_back: $1 id
UPDATE "jobs" SET "attempt" = "attempt" - 1 WHERE "id" = $1;

-- dead_letter: $1 id
WITH rowq_gone AS (DELETE FROM "jobs" WHERE "id" = $1 RETURNING "id", "queue", "priority",
    "retry_after", "attempt", "locked_until", "processed_at", "account", "cents", "headers",
    "payload") INSERT INTO "graveyard" ("id", "queue", "priority", "retry_after", "attempt",
    "locked_until", "processed_at", "account", "cents", "headers", "payload") OVERRIDING SYSTEM
    VALUE SELECT "id", "queue", "priority", "retry_after", "attempt", "locked_until",
    "processed_at", "account", "cents", "headers", "payload" FROM rowq_gone;

-- unfinished -> seen
SELECT 1 FROM "jobs" LIMIT 1;

-- unlock: $1 lock
SELECT pg_advisory_unlock($1);

-- insert: $1 payload -> id
INSERT INTO "jobs" ("payload") VALUES ($1) RETURNING "id";

-- insert with everything: $1 payload, $2 priority, $3 due_at, $4 headers -> id
INSERT INTO "jobs" ("payload", "priority", "retry_after", "headers") VALUES ($1, $2, $3, $4)
    RETURNING "id";

-- stats: $1 now, $2 now, $3 now
SELECT '', count(*) FILTER (WHERE "retry_after" <= $1), count(*) FILTER (WHERE "retry_after" > $2),
    NULL, 0, min("retry_after") FILTER (WHERE "retry_after" <= $3) FROM "jobs";

-- list: $1 now, $2 limit
SELECT "id", NULL, CASE WHEN "retry_after" > $1 THEN 'delayed' ELSE 'due' END, "attempt",
    "retry_after", "payload" FROM "jobs" ORDER BY "priority", "retry_after", "id" LIMIT $2;

-- list what is due: $1 now, $2 now, $3 limit
SELECT "id", NULL, CASE WHEN "retry_after" > $1 THEN 'delayed' ELSE 'due' END, "attempt",
    "retry_after", "payload" FROM "jobs" WHERE "retry_after" <= $2 ORDER BY "priority",
    "retry_after", "id" LIMIT $3;

-- the claim index
CREATE INDEX IF NOT EXISTS "jobs_claim" ON "jobs" ("priority", "retry_after", "id");

---- advisory_rows

-- claim: $1 limit -> lock, seen, id, attempt, data, data, data
WITH rowq_due AS MATERIALIZED (SELECT "id" AS rowq_id, hashtextextended('accounts-' ||
    COALESCE(CAST("account" AS text), '') || '/' || COALESCE(CAST("cents" AS text), ''), 0) AS
    rowq_lock FROM "jobs" ORDER BY "id" LIMIT $1), rowq_tried AS MATERIALIZED (SELECT rowq_id,
    rowq_lock FROM rowq_due WHERE pg_try_advisory_lock(rowq_lock) LIMIT 1), rowq_taken AS (UPDATE
    "jobs" SET "attempt" = COALESCE("attempt", 1) + 1 FROM rowq_tried WHERE "id" = rowq_id AND
    hashtextextended('accounts-' || COALESCE(CAST("account" AS text), '') || '/' ||
    COALESCE(CAST("cents" AS text), ''), 0) = rowq_lock RETURNING "id" AS c0, "attempt" - 1 AS c1,
    "id" AS c2, "account" AS c3, "cents" AS c4) SELECT rowq_lock, (SELECT count(*) FROM rowq_due),
    c0, c1, c2, c3, c4 FROM (VALUES (1)) AS rowq_one LEFT JOIN rowq_tried ON true LEFT JOIN
    rowq_taken ON true;

-- ack: $1 id
DELETE FROM "jobs" WHERE "id" = $1;

-- give_back: $1 id
UPDATE "jobs" SET "attempt" = "attempt" - 1 WHERE "id" = $1;

-- dead_letter: $1 id
WITH rowq_gone AS (DELETE FROM "jobs" WHERE "id" = $1 RETURNING "id", "queue", "priority",
    "retry_after", "attempt", "locked_until", "processed_at", "account", "cents", "headers",
    "payload") INSERT INTO "graveyard" ("id", "queue", "priority", "retry_after", "attempt",
    "locked_until", "processed_at", "account", "cents", "headers", "payload") OVERRIDING SYSTEM
    VALUE SELECT "id", "queue", "priority", "retry_after", "attempt", "locked_until",
    "processed_at", "account", "cents", "headers", "payload" FROM rowq_gone;

-- unfinished -> seen
SELECT 1 FROM "jobs" LIMIT 1;

-- unlock: $1 lock
SELECT pg_advisory_unlock($1);

-- insert: $1 id, $2 data -> id
INSERT INTO "jobs" ("id", "account") VALUES ($1, $2) RETURNING "id";

-- insert with everything: $1 id, $2 data -> id
INSERT INTO "jobs" ("id", "account") VALUES ($1, $2) RETURNING "id";

-- stats
SELECT '', count(*), 0, NULL, 0, NULL FROM "jobs";

-- list: $1 limit
SELECT "id", NULL, 'due', "attempt", NULL, NULL FROM "jobs" ORDER BY "id" LIMIT $1;

-- list what is due: $1 limit
SELECT "id", NULL, 'due', "attempt", NULL, NULL FROM "jobs" ORDER BY "id" LIMIT $1;

-- the claim index
CREATE INDEX IF NOT EXISTS "jobs_claim" ON "jobs" ("id");

