import Postgres

/// The statements of `KeyCollation`.
enum KeyCollationStatements {
  /// Key column `p` of the index `x`, comparing bytes where it is text.
  private static let column = """
    pg_get_indexdef(x.indexrelid, p, false)
      || CASE WHEN x.indcollation[p - 1] NOT IN (0, 'pg_catalog."C"'::regcollation) THEN ' COLLATE pg_catalog."C"'
        ELSE '' END
    """

  /// Its operator class if it is not the default, and its order: option 1 is descending, 2 nulls first.
  private static let order = """
    coalesce((SELECT ' ' || o.opcnamespace::regnamespace || '.' || quote_ident(o.opcname) FROM pg_opclass AS o
        WHERE o.oid = x.indclass[p - 1] AND NOT o.opcdefault), '')
      || (ARRAY['', ' DESC NULLS LAST', ' NULLS FIRST', ' DESC'])[x.indoption[p - 1] + 1]
    """

  private static let columns =
    "(SELECT string_agg(\(column), ', ' ORDER BY p) FROM generate_series(1, x.indnkeyatts) AS p)"

  private static let isOurs = "n.nspname = ANY ('{\(Ownership.schemas.joined(separator: ","))}'::name[])"

  private static let hasText = """
    EXISTS (SELECT FROM unnest(x.indcollation) AS l (oid) WHERE l.oid NOT IN (0, 'pg_catalog."C"'::regcollation))
    """

  /// A column `a` of the table `c` that the migration changes, unless a generated column reads it.
  private static let isChanged = """
    a.attcollation NOT IN (0, 'pg_catalog."C"'::regcollation)
      AND NOT EXISTS (SELECT FROM pg_depend AS d JOIN pg_attrdef AS f ON f.oid = d.objid
        JOIN pg_attribute AS g ON g.attrelid = f.adrelid AND g.attnum = f.adnum AND g.attgenerated <> ''
        WHERE d.classid = 'pg_attrdef'::regclass AND d.refobjid = c.oid AND d.refobjsubid = a.attnum)
    """

  /// Unique keys of tables, and of partitioned tables as a whole, each with the statement that finds twenty duplicates.
  static let keys: Statement = """
    SELECT format('%I.%I', n.nspname, c.relname) AS relation, i.relname::text AS key,
      format('SELECT concat_ws('', '', %1$s) AS value, %2$s AS rows FROM %3$I.%4$I WHERE num_nulls(%5$s) = 0 %6$s '
          || 'GROUP BY %1$s HAVING count(*) > 1 LIMIT 20', \(raw: columns),
        CASE WHEN EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'id')
          THEN 'string_agg(id::text, '' and '' ORDER BY id)' ELSE 'count(*) || '' rows''' END,
        n.nspname, c.relname,
        (SELECT string_agg(pg_get_indexdef(i.oid, p, false), ', ') FROM generate_series(1, x.indnkeyatts) AS p),
        coalesce('AND ' || pg_get_expr(x.indpred, x.indrelid), '')) AS doubles,
      to_regprocedure(format('%I.mark_%s_doubles()', n.nspname, c.relname))::text AS marker
    FROM pg_index AS x JOIN pg_class AS i ON i.oid = x.indexrelid JOIN pg_class AS c ON c.oid = x.indrelid
      JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE \(raw: isOurs) AND x.indisunique AND NOT c.relispartition AND \(raw: hasText) ORDER BY 1, 2
    """

  /// Incomplete indexes of an earlier attempt.
  static let invalid: Statement = """
    SELECT format('%I.%I', n.nspname, i.relname)
    FROM pg_index AS x JOIN pg_class AS i ON i.oid = x.indexrelid JOIN pg_namespace AS n ON n.oid = i.relnamespace
    WHERE \(raw: isOurs) AND NOT x.indisvalid AND i.relname LIKE '%\\_c' ORDER BY 1
    """

  /// Indexes over text on tables of at least this many bytes, each with the statement that builds its successor.
  ///
  /// A partial index cannot be exchanged: changing the column rebuilds it. On a partition only the key can be
  /// exchanged.
  static func large(bytes: Int64) -> Statement {
    """
    WITH keyed AS (
      SELECT coalesce(h.inhparent, x.indrelid) AS root, a.attname
      FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
        LEFT JOIN pg_inherits AS h ON h.inhrelid = c.oid
        JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = ANY (x.indkey)
      WHERE \(raw: isOurs) AND \(raw: hasText)
        AND \(raw: isChanged)
    )
    SELECT format('%I.%I', n.nspname, i.relname || '_c'),
      format('CREATE %s CONCURRENTLY %I ON %I.%I USING %s (%s)%s%s', CASE WHEN x.indisunique THEN 'UNIQUE INDEX'
          ELSE 'INDEX' END, i.relname || '_c', n.nspname, c.relname, m.amname,
        (SELECT string_agg(\(raw: column) || \(raw: order), ', ' ORDER BY p) FROM generate_series(1, x.indnkeyatts) AS p),
        coalesce(' INCLUDE (' || (SELECT string_agg(pg_get_indexdef(i.oid, p, false), ', ' ORDER BY p)
          FROM generate_series(x.indnkeyatts + 1, x.indnatts) AS p) || ')', ''),
        coalesce(' WITH (' || array_to_string(i.reloptions, ', ') || ')', ''))
    FROM pg_index AS x JOIN pg_class AS i ON i.oid = x.indexrelid JOIN pg_am AS m ON m.oid = i.relam
      JOIN pg_class AS c ON c.oid = x.indrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
      LEFT JOIN pg_inherits AS h ON h.inhrelid = c.oid
    WHERE \(raw: isOurs) AND \(raw: hasText) AND x.indpred IS NULL AND i.relkind = 'i' AND m.amname = 'btree'
      AND x.indexprs IS NULL AND pg_relation_size(c.oid) >= \(bytes)
      AND (h.inhparent IS NULL OR EXISTS (SELECT FROM pg_constraint AS k WHERE k.conindid = i.oid))
      AND NOT EXISTS (SELECT FROM pg_constraint AS f WHERE f.contype = 'f' AND f.conindid = i.oid)
      AND EXISTS (SELECT FROM keyed AS k JOIN pg_attribute AS a ON a.attname = k.attname
        WHERE k.root = coalesce(h.inhparent, c.oid) AND a.attrelid = c.oid AND a.attnum = ANY (x.indkey))
      AND i.relname NOT LIKE '%\\_c'
      AND to_regclass(format('%I.%I', n.nspname, i.relname || '_c')) IS NULL
    ORDER BY 1
    """
  }

  /// Foreign objects that read columns of these keys: views and rules, policies, publications, functions.
  static let foreign: Statement = """
    WITH keyed AS (
      SELECT DISTINCT x.indrelid AS relation, a.attnum
      FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
        JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = ANY (x.indkey)
      WHERE \(raw: isOurs) AND \(raw: isChanged)
    ), reader AS (
      SELECT d.classid, d.objid, v.oid AS view, v.relkind = 'v' AND \(raw: isOurs) AS is_ours
      FROM keyed AS k JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = k.relation
          AND d.refobjsubid = k.attnum
        LEFT JOIN pg_rewrite AS r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
        LEFT JOIN pg_class AS v ON v.oid = r.ev_class LEFT JOIN pg_namespace AS n ON n.oid = v.relnamespace
      WHERE d.classid IN ('pg_rewrite'::regclass, 'pg_policy'::regclass, 'pg_proc'::regclass,
        'pg_publication_rel'::regclass)
    )
    SELECT pg_describe_object(r.classid, r.objid, 0) FROM reader AS r WHERE r.is_ours IS NOT TRUE
    UNION
    SELECT pg_describe_object(d.classid, d.objid, 0)
    FROM reader AS r JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = r.view
      JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid AND w.ev_class <> r.view
    WHERE r.is_ours
    ORDER BY 1 LIMIT 20
    """

  /// Tables with text keys that have no statistics, as after a change of their columns.
  static let unanalyzed: Statement = """
    SELECT DISTINCT format('%I.%I', n.nspname, c.relname)
    FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
      JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = ANY (x.indkey)
    WHERE \(raw: isOurs) AND a.attcollation = 'pg_catalog."C"'::regcollation AND c.reltuples > 0
      AND NOT EXISTS (SELECT FROM pg_stats AS s
        WHERE s.schemaname = n.nspname AND s.tablename = c.relname AND s.attname = a.attname)
    ORDER BY 1
    """
}
