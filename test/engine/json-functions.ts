/** A document with a value of every kind; `{D}` in the expressions below. */
const DOCUMENT = String.raw`'{"a": {"b": [10, 20, {"c": null}], "x y": "é\u00e9\n\"q\""}, "n": 1.0, "i": -5, "t": true, "f": false, "z": null, "s": "text", "big": 12345678901234567890, "huge": 123456789012345678901234567890, "e": 1e3, "a": 2, "": "empty"}'`;

const lines = (list: string): readonly string[] =>
  list
    .trim()
    .split('\n')
    .map((line) => line.replaceAll('{D}', DOCUMENT));

/** Expressions that look into JSON, which both engines answer the same: value, type, or the code of the error. */
export const JSON_READS = lines(String.raw`
{D} -> 'a'
{D} ->> 'a'
{D} -> '$.a.b[0]'
{D} ->> '$.a.b[0]'
{D} -> '$.a.b[-1]'
{D} -> '$.a.b[#-1]'
{D} -> '$.a.b[#]'
{D} -> '$.a.b[5]'
{D} -> '$.a.b[-5]'
{D} -> '$.a.b[*]'
{D} ->> '$.a.b[*]'
{D} -> '$.*'
len(json_extract((SELECT '[' || string_agg(i::VARCHAR, ',') || ']' FROM range(200000) t(i)), '$..*'))
{D} -> '$.a.*'
{D} ->> '$..c'
{D} -> '$..b'
{D} -> '$..*'
{D} -> '$..[0]'
{D} -> '$.**'
{D} -> '*'
{D} -> '/a/b/0'
{D} ->> '/a/b/2/c'
{D} -> '/a/x y'
{D} ->> '/a/x y'
{D} -> '$.a."x y"'
{D} ->> '$.a."x y"'
{D} -> 'n'
{D} ->> 'n'
{D} -> 'i'
{D} -> 't'
{D} ->> 't'
{D} -> 'z'
{D} ->> 'z'
{D} -> 's'
{D} ->> 's'
{D} -> 'big'
{D} -> 'huge'
{D} ->> 'huge'
{D} -> 'e'
{D} -> 'missing'
{D} ->> 'missing'
{D} -> ''
{D} -> '$'
{D} -> '$.'
{D} -> '$['
{D} -> '$[]'
{D} -> '$.a['
{D} -> '$x'
{D} -> '$.a.b[x]'
{D} -> '$.a.b[1'
{D} -> '$."a'
{D} -> '$.""'
{D} -> NULL
NULL -> 'a'
NULL::JSON -> 'a'
'{}' -> 'a'
'[1,2,3]' -> 0
'[1,2,3]' -> -1
'[1,2,3]' -> 7
'[1,2,3]' ->> 1
'[1,2,3]' -> '0'
'[1,2,3]'->'$[1]'
'["a","b"]' ->> 0
'malformed' -> 'a'
'{"a":' -> 'a'
'{"a":1} x' -> 'a'
'' -> 'a'
'{"a":1,}' -> 'a'
'[NaN, Infinity, -Infinity]' -> '$[*]'
'{"a":"\u00e9\u4e2d\ud83d\ude00"}' ->> 'a'
'{"a":"\ud83d"}' ->> 'a'
'{"a":"\/\b\f\n\r\t\u0001"}' -> 'a'
'{"a":"\/\b\f\n\r\t\u0001"}' ->> 'a'
'{"é": {"中": "😀"}}' ->> '$.é.中'
'{"é": {"中": "😀"}}' -> '/é/中'
'{"a.b": 1, "a": {"b": 2}}' -> 'a.b'
'{"a.b": 1, "a": {"b": 2}}' -> '$.a.b'
'{"a.b": 1, "a": {"b": 2}}' -> '$."a.b"'
'{"a/b": 1, "~": 2}' -> '/a~1b'
'{"a/b": 1, "~": 2}' -> '/~0'
'{"a\"b": 1}' -> '$."a\"b"'
'{"a\"b": 1}' -> 'a"b'
'  {"a" : 1 }  ' -> '$'
'1.0' -> '$'
'1.50' -> '$'
'-0.0' -> '$'
'1E5' -> '$'
'1e400' -> '$'
'0.1' -> '$'
'1e-7' -> '$'
'123456789.123456789' -> '$'
'9007199254740993' -> '$'
'18446744073709551615' -> '$'
'18446744073709551616' -> '$'
'-9223372036854775808' -> '$'
'-9223372036854775809' -> '$'
'"x"' ->> '$'
'null' -> '$'
'null' ->> '$'
{D} -> (SELECT 'a')
{D} ->> (SELECT '$.a.b[0]')
(SELECT '{"a": 1}') -> 'a'
'[1, 2]' -> (SELECT 1)
json_exists({D}, (SELECT '$.a'))
(SELECT list(i -> (SELECT i ->> 'p')) FROM (VALUES ('{"a": 1, "p": "a"}'), ('{"b": 1, "p": "b"}')) t(i))
json_extract({D}, '$.a.b[1]')
json_extract({D}, ['$.a.b[1]', 'n', 'missing'])
json_extract({D}, ['a', '$.*'])
json_extract({D}, [NULL])
json_extract({D}, [])
json_extract({D}, NULL)
json_extract({D}, '$.a.b', '$')
json_extract_path({D}, 'a')
json_extract_path_text({D}, 'a')
json_extract_string({D}, 's')
json_extract_string({D}, ['s', 'z', 'missing', 'n'])
json_value({D}, 's')
json_value({D}, 'a')
json_value({D}, 'z')
json_value({D}, 'n')
json_value('[1,[2]]', 1)
json_value('[1,[2]]', 0)
json_value({D}, ['s','a'])
json_array_length('[1,2,3]')
json_array_length('{}')
json_array_length('[]')
json_array_length({D}, '$.a.b')
json_array_length({D}, 'missing')
json_array_length({D}, ['$.a.b', 's'])
json_array_length('[[1],[2,3]]', 1)
json_array_length('[[1],[2,3]]', '$[*]')
json_array_length(NULL)
json_array_length('x')
json_exists({D}, '$.a.b')
json_exists({D}, 'missing')
json_exists({D}, ['a', 'missing'])
json_exists({D}, '$.a.b[*]')
json_exists(NULL, 'a')
json_exists({D}, NULL)
json_keys('[{"a": 1}, {"b": 2}]', '$[*]')
json_keys({D})
json_keys({D}, 'a')
json_keys({D}, 's')
json_keys({D}, 'missing')
json_keys({D}, ['a', 'missing', '$'])
json_keys('[1]')
json_type({D})
json_type({D}, 'a')
json_type({D}, '$.a.b')
json_type({D}, 'n')
json_type({D}, 'i')
json_type({D}, 'big')
json_type({D}, 'huge')
json_type({D}, 't')
json_type({D}, 'z')
json_type({D}, 's')
json_type({D}, ['a', 's', 'missing'])
json_type('[1, -1, 1.5, "x", null, true, {}, []]', '$[*]')
json_type('[10]', 0)
typeof({D} -> 'a')
typeof({D} ->> 'a')
typeof(json_keys({D}))
typeof({D} -> '$.*')
({D} -> 'a') -> 'b'
{D} -> 'a' -> 'b' -> 0
{D} -> 'a' ->> 'b'
({D} -> 'a' ->> 'b') = '[10,20,{"c":null}]'
({D} ->> 's') = 'text'
{D} ->> 's' = 'text'
({D} ->> 'i')::INTEGER + 1
list_transform([1, 2], x -> x + 1)
list_filter(['{"a":1}', '{"a":2}'], x -> (x ->> 'a') = '2')
list_transform(['{"a":1}', '{"a":2}'], lambda x: x -> 'a')
list_transform(['{"a":1}'], x -> x ->> 'a')
(SELECT list(j -> 'a') FROM (VALUES ('{"a":1}'), (NULL), ('{"b":1}'), ('{"a":[1, 2]}')) v(j))
(SELECT list(j ->> p) FROM (VALUES ('{"a":1}', 'a'), (NULL, 'a'), ('{"b":1}', '$.b'), ('{"a":[1, 2]}', '/a/1'), ('{"a":1}', NULL)) v(j, p))
(SELECT list(j ->> p) FROM (VALUES ('[1,2]', 1), ('[1,2]', -2), ('[1]', 4)) v(j, p))
(SELECT list(j -> p) FROM (VALUES ('[1,2]', '$[*]')) v(j, p))
(SELECT list(j -> p) FROM (VALUES ('[1,2]', '$[')) v(j, p))
(SELECT list(j -> '$[*]') FROM (VALUES ('[1,2]'), (NULL), ('[]'), ('{}')) v(j))
(SELECT list(json_extract_string(j, ['a', 'b'])) FROM (VALUES ('{"a":1}'), (NULL), ('{"b":"x"}')) v(j))
(SELECT count(*) FROM range(5000) t(i) WHERE ('{"n": ' || i || '}' ->> 'n')::INT % 2 = 0)
(SELECT sum(json_array_length('[' || repeat('1,', i::INT) || '1]')) FROM range(3000) t(i))
`);

/** Expressions that make JSON of values and values of JSON. */
export const JSON_CASTS = lines(String.raw`
to_json('\u001b[31m')
to_json('\\u001b')
to_json('\' || chr(27))
to_json({'\u001b': '\u001f'})
to_json(chr(27) || '\u00e9')
to_json(MAP {'\u001b': chr(31)})
to_json(1)
to_json(1.5)
to_json((SELECT 1))
to_json(EXISTS (SELECT 1))
to_json((SELECT list(i) FROM range(3) t(i)))
array_to_json((SELECT list(i) FROM range(3) t(i)))
row_to_json((SELECT {'a': 1}))
json_quote((SELECT 'x'))
json_object((SELECT 'a'), 1)
json_object('a', (SELECT '{"b": 1}'::JSON))
json_object((SELECT '{}'::JSON), 1)
json_group_array((SELECT 1))
(SELECT json_group_object('k' || i, (SELECT i + 1)) FROM range(3) t(i))
(SELECT list(to_json(i IN (SELECT 1))) FROM range(3) t(i))
from_json('{"a": null}', '{"a": "NULL"}')
from_json('{"a": [null]}', '{"a": ["null"]}')
from_json((SELECT '{"a": 1}'), '{"a": "INTEGER"}')
from_json('{"a": 1}', (SELECT '{"a": "INTEGER"}'))
'b'::ENUM('a', 'b')::JSON
'"b"'::JSON::ENUM('a', 'b')
'"c"'::JSON::ENUM('a', 'b')
TRY_CAST('"c"'::JSON AS ENUM('a', 'b'))
[NULL::JSON]::JSON::INTEGER
TRY([NULL::JSON]::JSON::INTEGER)
TRY_CAST([NULL::JSON]::JSON AS UHUGEINT)
TRY_CAST([NULL::JSON]::JSON AS DATE)
TRY_CAST([NULL::JSON]::JSON AS INTEGER[])
TRY_CAST([NULL::JSON]::JSON AS JSON[])
TRY_CAST([NULL::JSON]::JSON AS STRUCT(a INTEGER))
TRY_CAST([NULL::JSON]::JSON AS INTEGER[2])
TRY_CAST([NULL::JSON]::JSON AS MAP(VARCHAR, INTEGER))
TRY_CAST([NULL::JSON]::JSON AS UNION(a INTEGER, b VARCHAR))
TRY_CAST({'a': [NULL::JSON]::JSON} AS JSON)
[NULL::JSON]::JSON
[[NULL::JSON]::JSON]
from_json('{"a": 1}', '"MAP(INTEGER, VARCHAR)"')
from_json('{"a": 1}', '"MAP(DOUBLE, VARCHAR)"')
from_json('{"a": 1}', '"MAP(FLOAT, VARCHAR)"')
from_json('{"a": 1}', '{"m": "MAP(DATE, VARCHAR)"}')
from_json_strict('{"a": 1}', '"MAP(INTEGER, VARCHAR)"')
to_json(from_json('{"a": 1, "2": 2, "c": 3}', '"MAP(INTEGER, VARCHAR)"'))
from_json('{"a": 1}', '{"a": "VARCHAR", "m": "MAP(DATE, VARCHAR)"}')::JSON
json_group_array(from_json('{"a": 1, "2024-02-29": 2}', '"MAP(DATE, VARCHAR)"'))
TRY_CAST('{"1": "x"}'::JSON AS MAP(INTEGER, INTEGER))
TRY_CAST('{"1": "x", "a": 1}'::JSON AS MAP(INTEGER, INTEGER))
TRY_CAST('{"a": 1}'::JSON AS MAP(INTEGER[], INTEGER))
TRY_CAST('{"m": {"a": 1}}'::JSON AS STRUCT(m MAP(DATE, INTEGER)))
TRY(('{"a": 1}'::JSON)::MAP(INTEGER, INTEGER))
'12:34:56.123456789'::TIME_NS::JSON
'2024-02-29 12:34:56'::TIMESTAMP_S::JSON
'2024-02-29 12:34:56.123456789'::TIMESTAMP_NS::JSON
'"2024-02-29 12:34:56"'::JSON::TIMESTAMP_MS
'POINT (1 2)'::GEOMETRY::JSON
json('b'::ENUM('a', 'b'))
'1'::JSON::UNION(a INTEGER, b VARCHAR)
'{"a": 1}'::JSON::UNION(a INTEGER, b VARCHAR)
'{"b": null}'::JSON::UNION(a INTEGER, b VARCHAR)
'{"a": 1, "b": 2}'::JSON::UNION(a INTEGER, b VARCHAR)
TRY_CAST('{"c": 1}'::JSON AS UNION(a INTEGER, b VARCHAR))
from_json('{"a": {"s": "x"}}', '{"a": "UNION(k INTEGER, s VARCHAR)"}')
from_json('{"a": "x"}', '{"a": "UNION(k INTEGER, s VARCHAR)"}')
json_object('{}'::JSON, 1)
json_group_object(NULL, 2)
to_json(1.0::DOUBLE)
to_json(1e20::DOUBLE)
to_json(1e21::DOUBLE)
to_json(1e22::DOUBLE)
to_json(123456789012345680000.0::DOUBLE)
to_json(1e-5::DOUBLE)
to_json(1e-6::DOUBLE)
to_json(1e-7::DOUBLE)
to_json(1.5e300::DOUBLE)
to_json(5e-324::DOUBLE)
to_json(-0.0::DOUBLE)
to_json('nan'::DOUBLE)
to_json('inf'::DOUBLE)
to_json('-inf'::FLOAT)
to_json(0.1::FLOAT)
to_json(0.1::DOUBLE)
to_json(100::DOUBLE)
to_json(true)
to_json('text')
to_json('é 漢 😀 "q" \ / ' || chr(10) || chr(9) || chr(13) || chr(8) || chr(12) || chr(1) || chr(31) || chr(127))
to_json(chr(8232))
to_json('')
to_json(NULL)
to_json(NULL::INTEGER)
to_json(9223372036854775807)
to_json(-9223372036854775808)
to_json(18446744073709551615::UBIGINT)
to_json(170141183460469231731687303715884105727::HUGEINT)
to_json((-170141183460469231731687303715884105727)::HUGEINT)
to_json(340282366920938463463374607431768211455::UHUGEINT)
to_json(1::TINYINT)
to_json(255::UTINYINT)
to_json(65535::USMALLINT)
to_json(4294967295::UINTEGER)
to_json(1.50::DECIMAL(4,2))
to_json(12345678.1234567::DECIMAL(15,7))
to_json(1234567890.123456::DECIMAL(18,6))
to_json(12345678901234567890123456.789::DECIMAL(38,3))
to_json(0.1::DECIMAL(3,1))
to_json(DATE '2024-02-29')
to_json(TIME '12:34:56.5')
to_json(TIMESTAMP '2024-02-29 12:34:56.5')
to_json(TIMESTAMPTZ '2024-02-29 12:34:56+02')
to_json(INTERVAL '1 month 2 days')
to_json('550e8400-e29b-41d4-a716-446655440000'::UUID)
to_json('\x00\xFFab'::BLOB)
to_json('101'::BIT)
to_json('a'::ENUM('a', 'b'))
to_json(42::BIGNUM)
to_json([1, 2, NULL])
to_json([]::INTEGER[])
to_json([[1], [], NULL])
to_json(['a', 'b'])
to_json([DATE '2024-01-01', NULL])
to_json(array_value(1, 2, 3))
to_json({'a': 1, 'b c': 'x', 'd': {'e': [1.5, NULL]}})
to_json({'a': NULL})
to_json(row(1, 'a'))
to_json(MAP {'a': 1, 'b': NULL})
to_json(MAP {1: [2], 3: []})
to_json(MAP {DATE '2024-01-01': true})
to_json(MAP {})
to_json(union_value(n := 1))
to_json('x'::UNION(n INTEGER, s VARCHAR))
to_json('{"a": [1, 2.50]}'::JSON)
to_json(['{"a": 1}'::JSON])
to_json({'j': '{"a" : 1}'::JSON})
to_json(1, 2)
to_json()
typeof(to_json(1))
json_quote('x')
array_to_json([1, 2])
array_to_json(1)
row_to_json({'a': 1})
row_to_json([1])
json_array()
json_array(1, 'a', NULL, [1], {'a': 1}, '{"b": 1}'::JSON)
json_array(NULL)
json_object()
json_object('a', 1, 'b', 'x')
json_object('a', NULL)
json_object('a', '{"b": 1}'::JSON)
json_object('a', 1, 'a', 2)
json_object(NULL, 1)
json_object('a')
json_object(1, 2)
json_object('é "q"', 'ü')
json_object('n', json_array(1, 2), 'o', json_object('x', 1))
json_valid('{"a": 1}')
json_valid('{"a": 1')
json_valid('')
json_valid('[1,]')
json_valid('NaN')
json_valid('1 2')
json_valid(NULL)
json_valid('{}'::JSON)
json_contains('{"a": {"b": 1}}', '{"b": 1}')
json_contains('{"a": [1, 2, 3]}', '[1, 3]')
json_contains('[1, 2]', '2')
json_contains('[1, 2]', '3')
json_contains('[1, 2.0]', '2')
json_contains(repeat('[', 20000) || '7' || repeat(']', 20000), '7')
json_contains(repeat('[', 20000) || '7' || repeat(']', 20000), '8')
json_contains('{"a": 1}', '"a"')
json_contains('{"a": {"b": 1, "c": 2}}', '{"a": {"c": 2}}')
json_contains('x', '1')
json_contains(NULL, '1')
json_contains('[{"a": 1}, {"a": 2}]'::JSON, '{"a": 2}'::JSON)
json_pretty('{"a": [1, {"b": []}], "c": {}}')
json_pretty('1')
json('{"a" : 1 }')
json('nope')
'{"a": 1}'::JSON
'{"a" : 1 }'::JSON
'{"a" : 1 }'::JSON::VARCHAR
'nope'::JSON
TRY_CAST('nope' AS JSON)
TRY_CAST('[1]' AS JSON)
NULL::JSON
CAST(NULL AS JSON)
typeof('{}'::JSON)
'{}'::JSON = '{}'
'{"a":1}'::JSON = '{"a": 1}'::JSON
42::JSON
'42'::JSON
1.5::JSON
true::JSON
DATE '2024-01-01'::JSON
[1, 2]::JSON
['a']::JSON
{'a': 1}::JSON
MAP {'a': 1}::JSON
[]::JSON
['1', '{}']::JSON[]
'[1, "a", {"b": 2}]'::JSON[]
'{}'::JSON[]
['{"a": 1}'::JSON, NULL]::VARCHAR
['{"a": 1}'::JSON]::JSON
'42'::JSON::INTEGER
'"42"'::JSON::INTEGER
'42.7'::JSON::INTEGER
'2.5'::JSON::INTEGER
'3.5'::JSON::INTEGER
'true'::JSON::INTEGER
'null'::JSON::INTEGER
'"x"'::JSON::INTEGER
'[1]'::JSON::INTEGER
'3000000000'::JSON::INTEGER
'-1'::JSON::UTINYINT
TRY_CAST('"x"'::JSON AS INTEGER)
'1e3'::JSON::BIGINT
'12345678901234567890'::JSON::HUGEINT
'123456789012345678901234567890'::JSON::HUGEINT
'1.5'::JSON::DOUBLE
'1'::JSON::DOUBLE
'1.25'::JSON::DECIMAL(4,2)
'"1.25"'::JSON::DECIMAL(4,1)
'123456'::JSON::DECIMAL(4,1)
'true'::JSON::BOOLEAN
'1'::JSON::BOOLEAN
'"yes"'::JSON::BOOLEAN
'"2024-01-01"'::JSON::DATE
'20240101'::JSON::DATE
'"nope"'::JSON::DATE
'"2024-01-01T12:00:00Z"'::JSON::TIMESTAMP
'"2024-01-01T12:00:00+02:00"'::JSON::TIMESTAMPTZ
'"550e8400-e29b-41d4-a716-446655440000"'::JSON::UUID
'"12:00:00"'::JSON::TIME
'"1 day"'::JSON::INTERVAL
'"text"'::JSON::VARCHAR
'[1, 2, null]'::JSON::INTEGER[]
'[1, "x"]'::JSON::INTEGER[]
'{"a": 1}'::JSON::INTEGER[]
'[[1], [2, 3]]'::JSON::INTEGER[][]
'[1, 2]'::JSON::INTEGER[2]
'[1, 2]'::JSON::INTEGER[3]
'["a", 1, {"b": 2}]'::JSON::VARCHAR[]
'{"a": 1, "b": "x"}'::JSON::STRUCT(a INTEGER, b VARCHAR)
'{"a": 1}'::JSON::STRUCT(a INTEGER, b VARCHAR)
'{"a": 1, "b": "x", "c": 3}'::JSON::STRUCT(a INTEGER, b VARCHAR)
'{"a": 1, "a": 2}'::JSON::STRUCT(a INTEGER)
'{"a": {"b": [1, {"c": 1}]}}'::JSON::STRUCT(a STRUCT(b JSON[]))
'{"a": 1, "b": 2}'::JSON::MAP(VARCHAR, INTEGER)
'{"1": "x"}'::JSON::MAP(INTEGER, VARCHAR)
('{"a": 42}' -> 'a')::INTEGER
('{"a": "2024-01-01"}' -> 'a')::DATE
('{"a": [1, 2, 3]}' -> 'a')::INTEGER[]
('{"a": 42}' -> 'a') = 42
('{"a": 42}' -> 'a') + 1
('{"a": "x"}' -> 'a') = 'x'
('{"a": "x"}' -> 'a') = '"x"'
('{"a": "x"}' ->> 'a') = 'x'
('{"a": 42}' -> 'a') IN (42, 43)
('{"a": true}' -> 'a') = true
('{"a": 42}' -> 'a')::VARCHAR || 'x'
lower('{"A": 1}' -> 'A')
length('{"a": "xyz"}' -> 'a')
coalesce('{"a": 1}' -> 'b', '0')
CASE WHEN ('{"a": 1}' -> 'a') IS NULL THEN 0 ELSE 1 END
from_json('{"a": 1, "b": "x", "c": 3}', '{"a": "INTEGER", "b": "VARCHAR"}')
from_json('{"a": "nope", "b": 1.5}', '{"a": "INTEGER", "b": "VARCHAR"}')
from_json('{"a": [1, 2], "d": "2024-01-01"}', '{"a": ["DOUBLE"], "d": "DATE"}')
from_json('[{"a": 1}, {"a": 2}]', '[{"a": "INTEGER"}]')
from_json('{"a": {"b": true}}', '{"a": {"b": "BOOLEAN"}}')
from_json('{"a": 1}', '"MAP(VARCHAR, INTEGER)"')
from_json('{"a": 1}', '{"a": "DECIMAL(10,2)"}')
from_json('{"a": "x"}', '{"a": "ENUM(''x'', ''y'')"}')
from_json('[1, 2]', '["JSON"]')
from_json('{"a": 1}', '"JSON"')
from_json('42', '"INTEGER"')
from_json(NULL, '{"a": "INTEGER"}')
from_json('{"a": 1}', NULL)
from_json('{"a": 1}', '{"a": "NOPE"}')
from_json('{"a": 1}', '{}')
from_json('{"a": 1}', '[]')
from_json('{"a": 1}', '1')
from_json('{"a": 1}', 'nope')
from_json('nope', '{"a": "INTEGER"}')
from_json('{"a": 1.7, "b": true, "c": null, "d": [1], "e": {"f": 1}}', '{"a": "VARCHAR", "b": "VARCHAR", "c": "VARCHAR", "d": "VARCHAR", "e": "VARCHAR", "z": "VARCHAR"}')
from_json('{"a": 1e20, "b": 1.0, "c": 100000000000000000000000}', '{"a": "VARCHAR", "b": "VARCHAR", "c": "VARCHAR"}')
from_json('{"a": 3000000000, "b": -1, "c": 1.5, "d": "12", "e": true}', '{"a": "INTEGER", "b": "UTINYINT", "c": "BIGINT", "d": "SMALLINT", "e": "TINYINT"}')
json_transform('{"a": 1}', '{"a": "BIGINT"}')
json_transform_strict('{"a": 1}', '{"a": "BIGINT"}')
json_transform_strict('{"a": "x"}', '{"a": "BIGINT"}')
json_transform_strict('{"b": 1}', '{"a": "BIGINT"}')
json_transform_strict('{"a": 1, "b": 1}', '{"a": "BIGINT"}')
json_transform_strict('{"a": 1, "a": 1}', '{"a": "BIGINT"}')
from_json_strict('{"a": 1}', '{"a": "VARCHAR"}')
typeof(from_json('{}', '{"a": "TIMESTAMPTZ", "b": ["UUID"]}'))
(SELECT list(from_json(j, '{"a": "INTEGER", "l": ["VARCHAR"]}')) FROM (VALUES ('{"a": 1, "l": ["x"]}'), (NULL), ('{"a": null}'), ('{"l": []}'), ('[]'), ('null')) v(j))
(SELECT list(from_json(j, '["DATE"]')) FROM (VALUES ('["2024-01-01", "nope", null]'), ('[]'), (NULL), ('["2024-02-02"]')) v(j))
(SELECT sum((j -> 'n')::INT) FROM (SELECT '{"n": ' || i || '}' AS j FROM range(5000) t(i)))
(SELECT list(x) FROM (SELECT unnest(from_json('[{"a": 1}, {"a": 2}]', '[{"a": "INTEGER"}]')) AS x))
(SELECT list(x ->> 'a') FROM (SELECT unnest('[{"a": 1}, {"a": 2}]'::JSON -> '$[*]') AS x))
(SELECT json_group_array(x) FROM (VALUES (1), (NULL), (3)) v(x))
(SELECT json_group_array(x) FROM (VALUES ('a'), ('"')) v(x))
(SELECT json_group_array({'a': x}) FROM range(3) t(x))
(SELECT json_group_object(k, v) FROM (VALUES ('a', 1), ('b', NULL)) t(k, v))
(SELECT json_group_array(x) FROM (VALUES (1)) v(x) WHERE false)
(SELECT json_group_array(j) FROM (VALUES ('{"a": 1}'::JSON)) v(j))
(SELECT typeof(json_group_array(x)) FROM range(2) t(x))
(SELECT list(to_json(t)) FROM (VALUES (1, 'x', DATE '2024-01-01'), (NULL, NULL, NULL)) t(a, b, c))
(SELECT list(json_object('i', i, 's', 'x' || i)) FROM range(3) t(i))
(SELECT list(json_array(i, NULL, d)) FROM (VALUES (1, 1.5), (NULL, NULL)) t(i, d))
(SELECT count(DISTINCT to_json({'i': i % 7, 'l': [i % 7]})) FROM range(5000) t(i))
(SELECT list(to_json(l)) FROM (VALUES ([1, 2]), (NULL), ([])) t(l))
(SELECT list(to_json(l)) FROM (VALUES ([{'a': [1]}, NULL]), (NULL), ([])) t(l))
(SELECT list(to_json(m)) FROM (VALUES (MAP {'a': [1]}), (NULL), (MAP {})) t(m))
(SELECT list(l[1:2]::JSON) FROM (VALUES ([1, 2, 3]), ([4])) t(l))
(SELECT list(to_json(u)) FROM (VALUES (1::UNION(n INTEGER, s VARCHAR)), ('x'::UNION(n INTEGER, s VARCHAR)), (NULL)) t(u))
(SELECT max(j) FROM (VALUES ('1'::JSON), ('2'::JSON)) t(j))
(SELECT count(*) FROM (VALUES ('1'::JSON), ('2'::JSON), ('1'::JSON)) t(j) GROUP BY j ORDER BY 1 DESC LIMIT 1)
(SELECT list(j ORDER BY j) FROM (VALUES ('2'::JSON), ('1'::JSON)) t(j))
json_merge_patch('{"a": 1}', '{"b": 2}')
json_merge_patch('{"a": 1, "b": {"c": 1, "d": 2}}', '{"b": {"c": null, "e": 3}, "f": null}')
json_merge_patch('{"a": 1}', '[1]')
json_merge_patch('{"a": 1, "a": 2, "b": 3, "c": 4, "d": 5, "e": 6}', '{"e": 1, "e": null, "a": {"x": 1}, "f": 2, "g": 3, "é": 4}')
json_contains('{"a": 1, "a": 2, "b": 3, "c": 4, "d": 5, "e": {}}', '{"e": {}, "b": 3, "c": 4, "d": 5, "a": 1}')
json_contains('{"a": 1, "a": 2, "b": 3, "c": 4, "d": 5, "e": {}}', '{"e": {}, "b": 3, "c": 4, "d": 5, "a": 2}')
json_contains('{"a": 1, "b": 3, "c": 4, "d": 5}', '{"e": {}, "b": 3, "c": 4, "d": 5, "a": 1}')
json_merge_patch('[1]', '{"a": null}')
json_merge_patch('{"a": 1}', NULL)
json_merge_patch(NULL, '{"a": 1}')
json_merge_patch('{"a": 1}', '{"b": 2}', '{"a": null}')
json_merge_patch('{"a": {"b": 1}}', '{"a": 2}')
json_merge_patch('{"a": 2}', '{"a": {"b": null, "c": {"d": null}}}')
json_merge_patch('{"a" : 1.0}', '{"é": "\u00e9"}')
(SELECT list(json_merge_patch(a, b)) FROM (VALUES ('{"x": 1}', '{"y": 2}'), (NULL, '{}'), ('{}', NULL)) t(a, b))
`);
