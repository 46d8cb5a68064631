import Postgres

/// Reads the catalogue.
///
/// Each statement returns schema, relation, name, and properties, whose names and values alternate. Only expressions
/// are the server's text, in one line. Everything else comes from columns, which are the same in each release of the
/// server.
enum CatalogueStatements {
  static let all: [(SchemaObject.Kind, Statement)] = [
    (.schema, schemas), (.sequence, sequences), (.type, types), (.table, tables), (.column, columns),
    (.constraint, constraints), (.index, indexes), (.view, views), (.function, functions), (.trigger, triggers),
    (.rule, rules), (.policy, policies),
  ]

  private static let order = "array_position(\(schemaNames), n.nspname::text)"

  private static let schemaNames = "'{\(Ownership.schemas.joined(separator: ","))}'::text[]"

  /// A table or composite type in our schemas that is not a partition.
  private static let ours = "n.nspname = ANY (\(schemaNames)) AND c.relkind IN ('r', 'p', 'c') AND NOT c.relispartition"

  private static func expression(_ tree: String, _ relation: String) -> String {
    #"regexp_replace(pg_get_expr(\#(tree), \#(relation), true), '\s*\n\s*', ' ', 'g')"#
  }

  /// The triggers, each with the alias `e`, that do not fire as usual; null if all do.
  private static func enabled(_ condition: String) -> String {
    "(SELECT nullif(string_agg(DISTINCT e.tgenabled::text, ''), 'O') FROM pg_trigger AS e WHERE \(condition))"
  }

  /// The names of the columns that an array of attribute numbers lists.
  private static func names(_ numbers: String, _ relation: String) -> String {
    """
    (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY y.place)
      FROM unnest(\(numbers)) WITH ORDINALITY AS y (number, place)
      JOIN pg_attribute AS a ON a.attrelid = \(relation) AND a.attnum = y.number)
    """
  }

  static let schemas: Statement = """
    SELECT n.nspname::text AS schema, '' AS relation, n.nspname::text AS name,
      ARRAY['description', obj_description(n.oid, 'pg_namespace')] AS properties
    FROM pg_namespace AS n WHERE n.nspname = ANY (\(raw: schemaNames)) ORDER BY \(raw: order)
    """

  /// Sequences of identity columns belong to their columns.
  static let sequences: Statement = """
    SELECT n.nspname::text AS schema, c.relname::text AS relation, c.relname::text AS name,
      ARRAY['description', obj_description(c.oid, 'pg_class'), 'seqtypid', format_type(s.seqtypid, NULL),
        'seqstart', s.seqstart::text, 'seqincrement', s.seqincrement::text, 'seqmin', s.seqmin::text,
        'seqmax', s.seqmax::text, 'seqcache', s.seqcache::text, 'seqcycle', s.seqcycle::text] AS properties
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_sequence AS s ON s.seqrelid = c.oid
    WHERE n.nspname = ANY (\(raw: schemaNames)) AND NOT EXISTS (SELECT FROM pg_depend AS d
      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'i')
    ORDER BY \(raw: order), c.relname COLLATE "C"
    """

  static let types: Statement = """
    SELECT n.nspname::text AS schema, c.relname::text AS relation, c.relname::text AS name,
      ARRAY['description', obj_description(c.reltype, 'pg_type')] AS properties
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = ANY (\(raw: schemaNames)) AND c.relkind = 'c' ORDER BY \(raw: order), c.relname COLLATE "C"
    """

  static let tables: Statement = """
    SELECT n.nspname::text AS schema, c.relname::text AS relation, c.relname::text AS name,
      ARRAY['description', obj_description(c.oid, 'pg_class'), 'relpersistence', c.relpersistence::text,
        'relrowsecurity', c.relrowsecurity::text, 'reloptions', array_to_string(c.reloptions, ', '), 'partattrs', pg_get_partkeydef(c.oid),
        'inhparent', p.relname::text] AS properties
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid LEFT JOIN pg_class AS p ON p.oid = i.inhparent
    WHERE n.nspname = ANY (\(raw: schemaNames)) AND c.relkind IN ('r', 'p')
      AND (NOT c.relispartition OR pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT')
    ORDER BY \(raw: order), c.relname COLLATE "C"
    """

  static let columns: Statement = """
    SELECT n.nspname::text AS schema, c.relname::text AS relation, a.attname::text AS name,
      ARRAY['description', col_description(c.oid, a.attnum), 'atttypid', format_type(a.atttypid, a.atttypmod),
        'attcollation', CASE WHEN a.attcollation <> t.typcollation THEN quote_ident(l.collname) END,
        'attnotnull', a.attnotnull::text, 'attidentity', a.attidentity::text, 'attgenerated', a.attgenerated::text,
        'adbin', \(raw: expression("d.adbin", "d.adrelid"))] AS properties
    FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
      JOIN pg_type AS t ON t.oid = a.atttypid LEFT JOIN pg_collation AS l ON l.oid = a.attcollation
      LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE \(raw: ours) AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY \(raw: order), c.relname COLLATE "C", a.attnum
    """

  /// From PostgreSQL 18 on NOT NULL is also a constraint: here it is a column's property.
  static let constraints: Statement = """
    SELECT n.nspname::text AS schema, c.relname::text AS relation, k.conname::text AS name,
      ARRAY['description', obj_description(k.oid, 'pg_constraint'), 'contype', k.contype::text,
        'conkey', \(raw: names("k.conkey", "k.conrelid")),
        'conexclop', (SELECT string_agg(o.oprname, ', ' ORDER BY x.place)
          FROM unnest(k.conexclop) WITH ORDINALITY AS x (oid, place) JOIN pg_operator AS o ON o.oid = x.oid),
        'conbin', \(raw: expression("k.conbin", "k.conrelid")),
        'confrelid', (SELECT f.relnamespace::regnamespace || '.' || quote_ident(f.relname) FROM pg_class AS f
          WHERE f.oid = k.confrelid),
        'confkey', \(raw: names("k.confkey", "k.confrelid")), 'confupdtype', nullif(k.confupdtype::text, ' '),
        'confdeltype', nullif(k.confdeltype::text, ' '), 'condeferrable', k.condeferrable::text,
        'condeferred', k.condeferred::text, 'convalidated', k.convalidated::text, 'relam', m.amname::text,
        'indnullsnotdistinct', x.indnullsnotdistinct::text, 'tgenabled', \(raw: constraintTriggers)] AS properties
    FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
      LEFT JOIN pg_index AS x ON x.indexrelid = k.conindid AND k.contype IN ('p', 'u', 'x')
      LEFT JOIN pg_class AS i ON i.oid = x.indexrelid LEFT JOIN pg_am AS m ON m.oid = i.relam
    WHERE \(raw: ours) AND k.contype IN ('c', 'f', 'p', 'u', 'x')
    ORDER BY \(raw: order), c.relname COLLATE "C", position(k.contype IN 'puxcf'), k.conname COLLATE "C"
    """

  /// Indexes of constraints belong to their constraints.
  static let indexes: Statement = """
    SELECT n.nspname::text AS schema, c.relname::text AS relation, i.relname::text AS name,
      ARRAY['description', obj_description(i.oid, 'pg_class'), 'relam', m.amname::text,
        'indisunique', x.indisunique::text, 'indisvalid', x.indisvalid::text,
        'indnullsnotdistinct', x.indnullsnotdistinct::text, 'reloptions', array_to_string(i.reloptions, ', '),
        'indkey', (SELECT string_agg(\(raw: indexKey), ', ' ORDER BY p) FROM generate_series(1, x.indnkeyatts) AS p),
        'indinclude', (SELECT string_agg(pg_get_indexdef(i.oid, p, true), ', ' ORDER BY p)
          FROM generate_series(x.indnkeyatts + 1, x.indnatts) AS p),
        'indpred', \(raw: expression("x.indpred", "x.indrelid"))] AS properties
    FROM pg_index AS x JOIN pg_class AS i ON i.oid = x.indexrelid JOIN pg_am AS m ON m.oid = i.relam
      JOIN pg_class AS c ON c.oid = x.indrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE \(raw: ours)
      AND NOT EXISTS (SELECT FROM pg_constraint AS k WHERE k.conindid = i.oid AND k.contype IN ('p', 'u', 'x'))
    ORDER BY \(raw: order), c.relname COLLATE "C", i.relname COLLATE "C"
    """

  /// The triggers of the constraint `k` and of its parts on partitions.
  private static let constraintTriggers = enabled(
    "e.tgconstraint IN (SELECT s.oid FROM pg_constraint AS s WHERE s.oid = k.oid OR s.conparentid = k.oid)")

  static let views: Statement = """
    SELECT n.nspname::text AS schema, c.relname::text AS relation, c.relname::text AS name,
      ARRAY['reloptions', array_to_string(c.reloptions, ', '),
        'attname', (SELECT string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' ORDER BY a.attnum)
          FROM pg_attribute AS a WHERE a.attrelid = c.oid)] AS properties
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = ANY (\(raw: schemaNames)) AND c.relkind IN ('v', 'm')
    ORDER BY \(raw: order), c.relname COLLATE "C"
    """

  /// A function's name is its signature, because overloaded functions share a name.
  static let functions: Statement = """
    SELECT n.nspname::text AS schema, p.proname::text AS relation,
      format('%s(%s)', p.proname, pg_get_function_identity_arguments(p.oid)) AS name,
      ARRAY['prokind', p.prokind::text, 'lanname', l.lanname::text,
        'prosrc', encode(sha256(convert_to(p.prosrc, 'UTF8')), 'hex'), 'prorettype', format_type(p.prorettype, NULL),
        'proretset', p.proretset::text, 'provolatile', p.provolatile::text, 'proisstrict', p.proisstrict::text,
        'prosecdef', p.prosecdef::text, 'proleakproof', p.proleakproof::text, 'proparallel', p.proparallel::text,
        'pronargdefaults', nullif(p.pronargdefaults, 0)::text, 'proconfig', array_to_string(p.proconfig, '; ')]
        AS properties
    FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace JOIN pg_language AS l ON l.oid = p.prolang
    WHERE n.nspname = ANY (\(raw: schemaNames))
    ORDER BY \(raw: order), p.proname COLLATE "C", pg_get_function_identity_arguments(p.oid) COLLATE "C"
    """

  /// Copies of a trigger on partitions belong to it.
  static let triggers: Statement = """
    SELECT n.nspname::text AS schema, c.relname::text AS relation, t.tgname::text AS name,
      ARRAY['tgfoid', f.pronamespace::regnamespace || '.' || quote_ident(f.proname), 'tgtype', t.tgtype::text,
        'tgattr', \(raw: names("t.tgattr", "t.tgrelid")), 'tgqual', (t.tgqual IS NOT NULL)::text,
        'tgdeferrable', t.tgdeferrable::text, 'tginitdeferred', t.tginitdeferred::text,
        'tgoldtable', t.tgoldtable::text, 'tgnewtable', t.tgnewtable::text,
        'tgenabled', \(raw: enabled("e.oid = t.oid OR e.tgparentid = t.oid"))] AS properties
    FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
      JOIN pg_proc AS f ON f.oid = t.tgfoid
    WHERE n.nspname = ANY (\(raw: schemaNames)) AND NOT t.tgisinternal AND t.tgparentid = 0
    ORDER BY \(raw: order), c.relname COLLATE "C", t.tgname COLLATE "C"
    """

  static let rules: Statement = """
    SELECT n.nspname::text AS schema, c.relname::text AS relation, r.rulename::text AS name, '{}'::text[] AS properties
    FROM pg_rewrite AS r JOIN pg_class AS c ON c.oid = r.ev_class JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = ANY (\(raw: schemaNames)) AND r.rulename <> '_RETURN'
    ORDER BY \(raw: order), c.relname COLLATE "C", r.rulename COLLATE "C"
    """

  static let policies: Statement = """
    SELECT n.nspname::text AS schema, c.relname::text AS relation, p.polname::text AS name, '{}'::text[] AS properties
    FROM pg_policy AS p JOIN pg_class AS c ON c.oid = p.polrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = ANY (\(raw: schemaNames)) ORDER BY \(raw: order), c.relname COLLATE "C", p.polname COLLATE "C"
    """

  /// Key `p` of the index `x`. Of its options 1 is descending, 2 nulls first.
  private static let indexKey = """
    pg_get_indexdef(i.oid, p, true)
      || coalesce((SELECT ' COLLATE ' || quote_ident(l.collname) FROM pg_collation AS l
        WHERE l.oid = x.indcollation[p - 1] AND l.oid <> coalesce((SELECT a.attcollation FROM pg_attribute AS a
          WHERE a.attrelid = x.indrelid AND a.attnum = x.indkey[p - 1]), l.oid)), '')
      || coalesce((SELECT ' ' || quote_ident(o.opcname) FROM pg_opclass AS o
        WHERE o.oid = x.indclass[p - 1] AND NOT o.opcdefault), '')
      || (ARRAY['', ' DESC NULLS LAST', ' NULLS FIRST', ' DESC'])[x.indoption[p - 1] + 1]
    """
}
