/**
 * The second version of the team's tables. Words are counted for each project: version 1 counted them by the word alone, so that a member could
 * write and read counts of a foreign project. Each row has its time of arrival, which no client can set.
 */
import { COMMON_FROM, MORE, MOST_PAIRED, TWICE } from './schema-1.ts'

const TABLES = `
DROP TABLE memory_keeper.common;
CREATE TABLE memory_keeper.common (project text NOT NULL, token text NOT NULL, docs int NOT NULL, PRIMARY KEY (project, token));
ALTER TABLE memory_keeper.stat DROP COLUMN common;
ALTER TABLE memory_keeper.item ADD COLUMN arrived timestamptz NOT NULL DEFAULT now();
GRANT SELECT, INSERT, UPDATE, DELETE ON memory_keeper.common TO memory_keeper_search;

CREATE OR REPLACE FUNCTION memory_keeper.stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.xid := pg_current_xact_id();
  NEW.born := CASE WHEN TG_OP = 'INSERT' THEN NEW.xid ELSE OLD.born END;
  NEW.arrived := now();
  RETURN NEW;
END $$;
`

/** The administrator counts everything again with the inner function, which members may not call. */
const SEARCH = `
GRANT memory_keeper_search TO CURRENT_USER;
GRANT CREATE ON SCHEMA memory_keeper TO memory_keeper_search;
DROP FUNCTION memory_keeper.candidates(text, text[], float8[], float8, float8, int, int);
CREATE FUNCTION memory_keeper.candidates(asked_project text, asked text[], weights float8[], live float8, mean float8, looked int, most int)
RETURNS TABLE (who name, body text, docs bigint[], arrived timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE ranks text; counts text; score text; classes tsquery; any_of tsquery; statement text; query tsquery; many int;
BEGIN
  IF NOT EXISTS (SELECT FROM memory_keeper.member m WHERE m.project = asked_project AND m.who = session_user) THEN RETURN; END IF;
  WITH counted AS (
    SELECT a.n, a.weight, marks.tf, a.token || marks.mark AS lexeme, coalesce(c.docs, least(live, ${COMMON_FROM / 2})) AS docs, first_value(c.docs) OVER (PARTITION BY a.n ORDER BY marks.tf) AS known
    FROM unnest(asked, weights) WITH ORDINALITY AS a(token, weight, n) CROSS JOIN (VALUES (1, ''), (2, '${TWICE}'), (3, '${MORE}')) AS marks(tf, mark)
    LEFT JOIN memory_keeper.common c ON c.project = asked_project AND c.token = a.token || marks.mark
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
     SELECT i.who, i.body, best.docs, i.arrived FROM best JOIN memory_keeper.item i ON i.ctid = best.place AND i.project = $1',
    ranks, counts, score);
  -- Where the counts promised more rows than there are: any row with any of the tokens, some of them a second time.
  FOREACH query IN ARRAY ARRAY[classes, any_of] LOOP
    RETURN QUERY EXECUTE statement USING asked_project, query, live, mean, most, weights, 3 * looked;
    GET DIAGNOSTICS many = ROW_COUNT;
    EXIT WHEN many >= 20 OR query = any_of;
  END LOOP;
END $$;

CREATE FUNCTION memory_keeper.count_words(counted_project text, now_live bigint, now_length bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM memory_keeper.common c WHERE c.project = counted_project;
  INSERT INTO memory_keeper.common (project, token, docs)
  SELECT counted_project, word, ndoc FROM ts_stat(format('SELECT tokens FROM memory_keeper.item WHERE project = %L', counted_project)) WHERE ndoc >= ${COMMON_FROM};
  INSERT INTO memory_keeper.stat (project, live, length) VALUES (counted_project, now_live, now_length)
  ON CONFLICT (project) DO UPDATE SET live = excluded.live, length = excluded.length, at = now();
END $$;

CREATE OR REPLACE FUNCTION memory_keeper.recount(asked_project text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE now_live bigint; now_length bigint; before memory_keeper.stat%ROWTYPE;
BEGIN
  IF NOT EXISTS (SELECT FROM memory_keeper.member m WHERE m.project = asked_project AND m.who = session_user) THEN RETURN false; END IF;
  IF NOT pg_try_advisory_xact_lock(hashtextextended('memory_keeper ' || asked_project, 0)) THEN RETURN false; END IF;
  SELECT count(*), coalesce(sum(i.length), 0) INTO now_live, now_length FROM memory_keeper.item i WHERE i.project = asked_project AND i.body IS NOT NULL;
  SELECT * INTO before FROM memory_keeper.stat s WHERE s.project = asked_project;
  IF before.project IS NOT NULL AND abs(now_live - before.live) * 10 <= before.live THEN RETURN false; END IF;
  PERFORM memory_keeper.count_words(asked_project, now_live, now_length);
  RETURN true;
END $$;

DO $$ DECLARE name text; BEGIN
  FOREACH name IN ARRAY ARRAY['candidates(text, text[], float8[], float8, float8, int, int)', 'count_words(text, bigint, bigint)'] LOOP
    EXECUTE format('ALTER FUNCTION memory_keeper.%s OWNER TO memory_keeper_search', name);
    EXECUTE format('REVOKE ALL ON FUNCTION memory_keeper.%s FROM PUBLIC', name);
  END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION memory_keeper.candidates(text, text[], float8[], float8, float8, int, int) TO memory_keeper_member;
SELECT memory_keeper.count_words(project, live, length) FROM memory_keeper.stat;
REVOKE CREATE ON SCHEMA memory_keeper FROM memory_keeper_search;
REVOKE memory_keeper_search FROM CURRENT_USER;
`

export const VERSION_2 = [TABLES, SEARCH].join('\n')
