CREATE TABLE email_jobs (
    job_id       INTEGER PRIMARY KEY,
    queue        TEXT NOT NULL,
    retry_after  TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f000', 'now')),
    attempt      INTEGER NOT NULL DEFAULT 1,
    locked_until TEXT,
    payload      TEXT NOT NULL
);
CREATE INDEX email_jobs_claim ON email_jobs (queue, retry_after, job_id);
