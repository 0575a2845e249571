/** The first version of the team's tables, as it was released with 0.6: never changed. */

/** Rows are partitioned by the hash of their project, so that a distributed PostgreSQL can place projects on different servers. */
const PARTITIONS = 16
/** A token in more rows of a project than this is common: its count is stored in `common`. Rarer tokens are counted in each search. */
export const COMMON_FROM = 200
/** A longer question looks for rows with two of its rarest tokens, of which it takes this many. */
export const MOST_PAIRED = 8

const ROLES = `
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'memory_keeper_member') THEN CREATE ROLE memory_keeper_member NOLOGIN; END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'memory_keeper_search') THEN CREATE ROLE memory_keeper_search NOLOGIN; END IF;
END $$;
`

/** `body: null`: deleted, and mirrors delete it. `born` and `xid`: the transactions that wrote a row first and last. Mirrors read in their order; clients cannot set them. */
const TABLES = `
CREATE TABLE memory_keeper.member (
  project text NOT NULL CHECK (length(project) BETWEEN 1 AND 300),
  who name NOT NULL,
  added timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project, who)
);
CREATE TABLE memory_keeper.item (
  project text NOT NULL,
  who name NOT NULL DEFAULT current_user,
  key text NOT NULL CHECK (length(key) BETWEEN 1 AND 60),
  machine text NOT NULL CHECK (length(machine) <= 60),
  body text CHECK (length(body) <= 200000),
  digest text NOT NULL CHECK (length(digest) <= 60),
  tokens tsvector NOT NULL DEFAULT '',
  length int NOT NULL DEFAULT 0,
  born xid8 NOT NULL,
  xid xid8 NOT NULL,
  PRIMARY KEY (project, who, key)
) PARTITION BY HASH (project);
DO $$ BEGIN
  FOR part IN 0..${PARTITIONS - 1} LOOP
    EXECUTE format('CREATE TABLE memory_keeper.item_%s PARTITION OF memory_keeper.item FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER %s) WITH (toast_tuple_target = 8160)', part, part);
    -- A search reads the tokens of a row several times: they are kept in the row, as they are.
    EXECUTE format('ALTER TABLE memory_keeper.item_%s ALTER COLUMN tokens SET STORAGE EXTERNAL, ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', part);
  END LOOP;
END $$;
CREATE INDEX ON memory_keeper.item (project, xid, who, key);
-- Each search reads the whole list of what is not indexed yet: a short one, in kB.
CREATE INDEX ON memory_keeper.item USING gin (tokens) WITH (gin_pending_list_limit = 256);

CREATE TABLE memory_keeper.stat (
  project text PRIMARY KEY, live bigint NOT NULL, length bigint NOT NULL, common text[] NOT NULL DEFAULT '{}', at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE memory_keeper.common (token text PRIMARY KEY, docs int NOT NULL);

CREATE FUNCTION memory_keeper.stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.xid := pg_current_xact_id();
  NEW.born := CASE WHEN TG_OP = 'INSERT' THEN NEW.xid ELSE OLD.born END;
  RETURN NEW;
END $$;
CREATE TRIGGER stamp BEFORE INSERT OR UPDATE ON memory_keeper.item FOR EACH ROW EXECUTE FUNCTION memory_keeper.stamp();
`

/** Suffixes of a token: it occurs at least twice, or at least three times in the row. */
export const TWICE = 'X'
export const MORE = 'Y'

const MINE = 'project IN (SELECT m.project FROM memory_keeper.member m WHERE m.who = current_user)'

/**
 * Row-level security is forced: the table's owner reads no row either, unless a superuser. `memory_keeper_search` owns the search functions
 * and nothing else: only they can use the index of tokens, because row-level security keeps ordinary roles from it (@@ is not leakproof).
 */
const SECURITY = `
ALTER TABLE memory_keeper.member ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE memory_keeper.item ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON memory_keeper.member FOR SELECT TO memory_keeper_member USING (who = current_user);
CREATE POLICY admin ON memory_keeper.member TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY searched ON memory_keeper.member FOR SELECT TO memory_keeper_search USING (true);
CREATE POLICY reads ON memory_keeper.item FOR SELECT TO memory_keeper_member USING (${MINE});
CREATE POLICY inserts ON memory_keeper.item FOR INSERT TO memory_keeper_member WITH CHECK (who = current_user AND ${MINE});
CREATE POLICY updates ON memory_keeper.item FOR UPDATE TO memory_keeper_member USING (who = current_user AND ${MINE}) WITH CHECK (who = current_user AND ${MINE});
CREATE POLICY searched ON memory_keeper.item FOR SELECT TO memory_keeper_search USING (true);
GRANT USAGE ON SCHEMA memory_keeper TO memory_keeper_member, memory_keeper_search;
GRANT SELECT ON memory_keeper.migration, memory_keeper.member TO memory_keeper_member;
GRANT SELECT, INSERT, UPDATE ON memory_keeper.item TO memory_keeper_member;
GRANT SELECT ON memory_keeper.member, memory_keeper.item TO memory_keeper_search;
GRANT SELECT, INSERT, UPDATE, DELETE ON memory_keeper.stat, memory_keeper.common TO memory_keeper_search;
`

/** The functions run as `memory_keeper_search`, which reads all rows: each first checks which projects the calling person is a member of. */
const SEARCH = `
CREATE FUNCTION memory_keeper.candidates(asked_project text, asked text[], weights float8[], live float8, mean float8, looked int, most int)
RETURNS TABLE (who name, body text, docs bigint[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE ranks text; counts text; score text; classes tsquery; any_of tsquery; statement text; query tsquery; many int;
BEGIN
  IF NOT EXISTS (SELECT FROM memory_keeper.member m WHERE m.project = asked_project AND m.who = session_user) THEN RETURN; END IF;
  WITH counted AS (
    SELECT a.n, a.weight, marks.tf, a.token || marks.mark AS lexeme, coalesce(c.docs, least(live, ${COMMON_FROM / 2})) AS docs, first_value(c.docs) OVER (PARTITION BY a.n ORDER BY marks.tf) AS known
    FROM unnest(asked, weights) WITH ORDINALITY AS a(token, weight, n) CROSS JOIN (VALUES (1, ''), (2, '${TWICE}'), (3, '${MORE}')) AS marks(tf, mark)
    LEFT JOIN memory_keeper.common c ON c.token = a.token || marks.mark
  ), level AS MATERIALIZED (
    -- Each token, as it stands in a row once, twice, or more often: what that adds to the score of a row of mean length, and in how many rows it is so.
    SELECT c.n, tf, lexeme, known, dense_rank() OVER (ORDER BY coalesce(known, 0), c.n) AS place,
      weight * ln(1 + greatest(0, live - coalesce(known, c.docs) + 0.5) / (coalesce(known, c.docs) + 0.5)) * tf / (tf + 1.2) AS gain,
      greatest(0, c.docs - lead(c.docs, 1, 0) OVER (PARTITION BY c.n ORDER BY tf)) AS exactly
    FROM counted c WHERE tf = 1 OR known IS NOT NULL
  ), class AS MATERIALIZED (
    -- Rows with one of them, or with two: those that score highest are looked at, as many classes as make up about that many rows.
    SELECT n, tf, lexeme, 0::bigint AS m, 0 AS also_tf, NULL AS also, gain, -1 AS alone, exactly AS about FROM level WHERE place <= ${MOST_PAIRED}
    UNION ALL SELECT a.n, a.tf, a.lexeme, b.n, b.tf, b.lexeme, a.gain + b.gain, greatest(a.gain, b.gain), a.exactly * b.exactly / live
    FROM level a JOIN level b ON a.n < b.n WHERE a.place <= ${MOST_PAIRED} AND b.place <= ${MOST_PAIRED}
  ), cut AS (
    SELECT coalesce(min(gain) FILTER (WHERE upto <= looked), max(gain)) AS least FROM (SELECT gain, sum(about) OVER (ORDER BY gain DESC) AS upto FROM class) each
  ), chosen AS (
    -- A class that is part of another one is left out.
    SELECT *, lag(also_tf) OVER (PARTITION BY n, m ORDER BY tf) AS before
    FROM (SELECT DISTINCT ON (n, m, tf) class.* FROM class, cut WHERE gain >= least AND alone < least ORDER BY n, m, tf, also_tf) each
  )
  SELECT
    string_agg(format('ts_rank(''{1,1,1,1}'', i.tokens, %L)::float8 AS r%s', quote_literal(lexeme), n), ', '),
    string_agg(format('greatest(%s, count(*) FILTER (WHERE r%s > 0))', coalesce(known, 0), n), ', ' ORDER BY n),
    string_agg(format('CASE WHEN r%1$s > 0 THEN idf[%1$s] * (0.6079271::float8 / (1 - r%1$s) - 0.5::float8) / (0.6079271::float8 / (1 - r%1$s) + norm) ELSE 0 END', n), ' + '),
    (SELECT string_agg(concat_ws(' & ', quote_literal(lexeme), quote_literal(also)), ' | ') FROM chosen WHERE before IS DISTINCT FROM also_tf),
    string_agg(quote_literal(lexeme), ' | ')
  INTO ranks, counts, score, classes, any_of FROM level WHERE tf = 1;
  -- BM25 without reading the text: ts_rank of one token is 0.6079271 times the sum of 1/n^2 up to the times that it stands in the row. Only the best rows are read whole.
  statement := format(
    'WITH hit AS MATERIALIZED (SELECT i.ctid, 0.22::float8 + 0.48::float8 * i.length / $4 AS norm, %s FROM memory_keeper.item i WHERE i.project = $1 AND i.tokens @@ $2 LIMIT $7),
       counted AS MATERIALIZED (SELECT ARRAY[%s] AS docs FROM hit),
       weighed AS MATERIALIZED (SELECT docs, ARRAY(SELECT w * ln(1 + greatest(0, $3 - d + 0.5) / (d + 0.5)) FROM unnest(docs, $6) AS each(d, w)) AS idf FROM counted),
       best AS MATERIALIZED (SELECT hit.ctid AS place, weighed.docs FROM hit, weighed ORDER BY %s DESC LIMIT $5)
     SELECT i.who, i.body, best.docs FROM best JOIN memory_keeper.item i ON i.ctid = best.place AND i.project = $1',
    ranks, counts, score);
  -- Where the counts promised more rows than there are: any row with any of the tokens, some of them a second time.
  FOREACH query IN ARRAY ARRAY[classes, any_of] LOOP
    RETURN QUERY EXECUTE statement USING asked_project, query, live, mean, most, weights, 3 * looked;
    GET DIAGNOSTICS many = ROW_COUNT;
    EXIT WHEN many >= 20 OR query = any_of;
  END LOOP;
END $$;

-- Counts the tokens of a project anew when it has grown or shrunk by a tenth since they were counted last.
CREATE FUNCTION memory_keeper.recount(asked_project text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE now_live bigint; now_length bigint; before memory_keeper.stat%ROWTYPE;
BEGIN
  IF NOT EXISTS (SELECT FROM memory_keeper.member m WHERE m.project = asked_project AND m.who = session_user) THEN RETURN false; END IF;
  IF NOT pg_try_advisory_xact_lock(hashtextextended('memory_keeper ' || asked_project, 0)) THEN RETURN false; END IF;
  SELECT count(*), coalesce(sum(i.length), 0) INTO now_live, now_length FROM memory_keeper.item i WHERE i.project = asked_project AND i.body IS NOT NULL;
  SELECT * INTO before FROM memory_keeper.stat s WHERE s.project = asked_project;
  IF before.project IS NOT NULL AND abs(now_live - before.live) * 10 <= before.live THEN RETURN false; END IF;
  DELETE FROM memory_keeper.common c WHERE c.token = ANY (before.common);
  WITH counted AS (
    INSERT INTO memory_keeper.common (token, docs)
    SELECT word, ndoc FROM ts_stat(format('SELECT tokens FROM memory_keeper.item WHERE project = %L', asked_project)) WHERE ndoc >= ${COMMON_FROM}
    ON CONFLICT (token) DO UPDATE SET docs = excluded.docs RETURNING token
  )
  INSERT INTO memory_keeper.stat (project, live, length, common)
  VALUES (asked_project, now_live, now_length, ARRAY(SELECT token FROM counted))
  ON CONFLICT (project) DO UPDATE SET live = excluded.live, length = excluded.length, common = excluded.common, at = now();
  RETURN true;
END $$;

CREATE FUNCTION memory_keeper.sizes() RETURNS TABLE (project text, live bigint, length bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT m.project, coalesce(s.live, 0), coalesce(s.length, 0)
  FROM memory_keeper.member m LEFT JOIN memory_keeper.stat s USING (project) WHERE m.who = session_user
$$;

GRANT memory_keeper_search TO CURRENT_USER;
GRANT CREATE ON SCHEMA memory_keeper TO memory_keeper_search;
DO $$ DECLARE name text; BEGIN
  FOREACH name IN ARRAY ARRAY['candidates(text, text[], float8[], float8, float8, int, int)', 'recount(text)', 'sizes()'] LOOP
    EXECUTE format('ALTER FUNCTION memory_keeper.%s OWNER TO memory_keeper_search', name);
    EXECUTE format('REVOKE ALL ON FUNCTION memory_keeper.%s FROM PUBLIC', name);
    EXECUTE format('GRANT EXECUTE ON FUNCTION memory_keeper.%s TO memory_keeper_member', name);
  END LOOP;
END $$;
REVOKE CREATE ON SCHEMA memory_keeper FROM memory_keeper_search;
REVOKE memory_keeper_search FROM CURRENT_USER;
`

export const VERSION_1 = [ROLES, TABLES, SECURITY, SEARCH].join('\n')
