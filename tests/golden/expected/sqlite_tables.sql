-- init, lease
CREATE TABLE IF NOT EXISTS "rowq_jobs" (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    queue TEXT NOT NULL DEFAULT 'default',
    priority INTEGER NOT NULL DEFAULT 0,
    retry_after TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f000', 'now')),
    attempt INTEGER NOT NULL DEFAULT 1,
    locked_until TEXT,
    headers TEXT NOT NULL DEFAULT '{}',
    payload TEXT NOT NULL,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f000', 'now'))
);

-- init, lease
CREATE INDEX IF NOT EXISTS "rowq_jobs_claim" ON "rowq_jobs" ("queue", "priority", "retry_after",
    "id");

-- init, row lock
CREATE TABLE IF NOT EXISTS "app"."jobs" (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    queue TEXT NOT NULL DEFAULT 'default',
    priority INTEGER NOT NULL DEFAULT 0,
    retry_after TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f000', 'now')),
    attempt INTEGER NOT NULL DEFAULT 1,
    headers TEXT NOT NULL DEFAULT '{}',
    payload TEXT NOT NULL,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f000', 'now'))
);

-- init, row lock
CREATE INDEX IF NOT EXISTS "app"."jobs_claim" ON "jobs" ("queue", "priority", "retry_after", "id");

-- init, advisory lock
CREATE TABLE IF NOT EXISTS "rowq_jobs" (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    queue TEXT NOT NULL DEFAULT 'default',
    priority INTEGER NOT NULL DEFAULT 0,
    retry_after TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f000', 'now')),
    attempt INTEGER NOT NULL DEFAULT 1,
    headers TEXT NOT NULL DEFAULT '{}',
    payload TEXT NOT NULL,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f000', 'now'))
);

-- init, advisory lock
CREATE INDEX IF NOT EXISTS "rowq_jobs_claim" ON "rowq_jobs" ("queue", "priority", "retry_after",
    "id");

-- the columns of jobs
SELECT name, type, "notnull" = 0 AND NOT (pk = 1 AND upper(type) = 'INTEGER' AND (SELECT count(*)
    FROM pragma_table_xinfo('jobs') WHERE pk > 0) = 1), hidden IN (2, 3) FROM
    pragma_table_xinfo('jobs') WHERE hidden <> 1 ORDER BY cid;

-- the indexes of jobs
SELECT l.name, x.seqno, x.name, x."desc", CASE WHEN l.partial THEN (SELECT substr(flat,
    instr(upper(flat), ' WHERE ') + 7) FROM (SELECT replace(replace(replace(s.sql, char(9), ' '),
    char(10), ' '), char(13), ' ') AS flat FROM sqlite_master s WHERE s.type = 'index' AND s.name =
    l.name)) END FROM pragma_index_list('jobs') l JOIN pragma_index_xinfo(l.name) x ON x.key = 1
    UNION ALL SELECT '(rowid)', 0, name, 0, NULL FROM pragma_table_xinfo('jobs') WHERE (pk = 1 AND
    upper(type) = 'INTEGER' AND (SELECT count(*) FROM pragma_table_xinfo('jobs') WHERE pk > 0) = 1)
    ORDER BY 1, 2;

-- the columns of main.It's "mine"
SELECT name, type, "notnull" = 0 AND NOT (pk = 1 AND upper(type) = 'INTEGER' AND (SELECT count(*)
    FROM pragma_table_xinfo('It''s "mine"', 'main') WHERE pk > 0) = 1), hidden IN (2, 3) FROM
    pragma_table_xinfo('It''s "mine"', 'main') WHERE hidden <> 1 ORDER BY cid;

-- the indexes of main.It's "mine"
SELECT l.name, x.seqno, x.name, x."desc", CASE WHEN l.partial THEN (SELECT substr(flat,
    instr(upper(flat), ' WHERE ') + 7) FROM (SELECT replace(replace(replace(s.sql, char(9), ' '),
    char(10), ' '), char(13), ' ') AS flat FROM "main".sqlite_master s WHERE s.type = 'index' AND
    s.name = l.name)) END FROM pragma_index_list('It''s "mine"', 'main') l JOIN
    pragma_index_xinfo(l.name, 'main') x ON x.key = 1 UNION ALL SELECT '(rowid)', 0, name, 0, NULL
    FROM pragma_table_xinfo('It''s "mine"', 'main') WHERE (pk = 1 AND upper(type) = 'INTEGER' AND
    (SELECT count(*) FROM pragma_table_xinfo('It''s "mine"', 'main') WHERE pk > 0) = 1) ORDER BY 1,
    2;

-- the server's clock
SELECT strftime('%Y-%m-%d %H:%M:%f', 'now');

