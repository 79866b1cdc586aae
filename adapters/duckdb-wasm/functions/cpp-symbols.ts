/*
 * The C++ functions of DuckDB that this adapter calls because the C API has no counterpart: the JSON parser, overloads of
 * existing functions, casts of nested types. The engine exports them under mangled names. The build renames them, and
 * fails when one is missing.
 */

const TEXT = 'NSt3__212basic_stringIcNS';
const REST = '11char_traitsIcEENS';

const duckdb = (name: string, parameters: string): string => `_ZN6duckdb${name}${parameters}`;
const yyjson = (name: string, parameters: string): string => `_ZN13duckdb_yyjson${name}${parameters}`;
const overloads = (name: string): string => duckdb(`${name.length + 3}${name}Fun`, '12GetFunctionsEv');

/** In the stripped engine each export of TIMESTAMP_FUNCTIONS is named by this prefix and its names in SQL. */
export const OVERLOADS_PREFIX = 'overloads ';

/** The C++ functions that make the overloads of SQL functions of timestamps (time/timestamptz.ts), by their names in SQL. */
export const TIMESTAMP_FUNCTIONS: { readonly [names: string]: string } = {
  '+': overloads('OperatorAdd'),
  '-': overloads('OperatorSubtract'),
  age: overloads('Age'),
  century: overloads('Century'),
  'date_diff datediff': overloads('DateDiff'),
  'date_part datepart': overloads('DatePart'),
  'date_sub datesub': overloads('DateSub'),
  'date_trunc datetrunc': overloads('DateTrunc'),
  day: overloads('Day'),
  dayname: overloads('DayName'),
  dayofmonth: overloads('DayOfMonth'),
  'dayofweek weekday': overloads('DayOfWeek'),
  dayofyear: overloads('DayOfYear'),
  decade: overloads('Decade'),
  epoch: overloads('Epoch'),
  era: overloads('Era'),
  hour: overloads('Hours'),
  isodow: overloads('ISODayOfWeek'),
  isoyear: overloads('ISOYear'),
  julian: overloads('JulianDay'),
  last_day: overloads('LastDay'),
  range: overloads('ListRange'),
  generate_series: overloads('GenerateSeries'),
  make_timestamptz: overloads('MakeTimestamp'),
  microsecond: overloads('Microseconds'),
  millennium: overloads('Millennium'),
  millisecond: overloads('Milliseconds'),
  minute: overloads('Minutes'),
  month: overloads('Month'),
  monthname: overloads('MonthName'),
  quarter: overloads('Quarter'),
  second: overloads('Seconds'),
  strftime: overloads('StrfTime'),
  time_bucket: overloads('TimeBucket'),
  timezone: overloads('Timezone'),
  timezone_hour: overloads('TimezoneHour'),
  timezone_minute: overloads('TimezoneMinute'),
  'week weekofyear': overloads('Week'),
  year: overloads('Year'),
  yearweek: overloads('YearWeek'),
};

/** The other C++ functions that this adapter calls, by their names in the stripped engine. */
export const CPP = {
  strptime: overloads('StrpTime'),
  tryStrptime: overloads('TryStrpTime'),
  jsonRead: yyjson('16yyjson_read_opts', 'EPcmjPKNS_10yyjson_alcEPNS_15yyjson_read_errE'),
  jsonWrite: yyjson(
    '21yyjson_val_write_opts',
    'EPKNS_10yyjson_valEjPKNS_10yyjson_alcEPmPNS_16yyjson_write_errE',
  ),
  jsonEquals: yyjson('20unsafe_yyjson_equals', 'EPNS_10yyjson_valES1_'),
  jsonPointer: yyjson('22unsafe_yyjson_ptr_getx', 'EPNS_10yyjson_valEPKcmPNS_14yyjson_ptr_errE'),
  assignType: duckdb('11LogicalType', 'aSERKS0_'),
  anyArrayType: duckdb('11LogicalType', '5ARRAYERKS0_NS_12optional_idxE'),
  typeOfText: duckdb(
    '28TransformStringToLogicalType',
    `ERK${TEXT}0_${REST}0_9allocatorIcEEEERNS_13ClientContextE`,
  ),
  createLoader: duckdb('15ExtensionLoaderC1', `ERNS_16DatabaseInstanceERK${TEXT}3_${REST}3_9allocatorIcEEEE`),
  registerFunctions: duckdb('15ExtensionLoader', '16RegisterFunctionENS_17ScalarFunctionSetE'),
  registerMacro: duckdb('15ExtensionLoader', '16RegisterFunctionERNS_15CreateMacroInfoE'),
  registerCast: duckdb(
    '15ExtensionLoader',
    '20RegisterCastFunctionERKNS_11LogicalTypeES3_PFNS_13BoundCastInfoERNS_13BindCastInputES3_S3_Ex',
  ),
  parseMacro: duckdb('24DefaultFunctionGenerator', '23CreateInternalMacroInfoERKNS_12DefaultMacroE'),
  castCost: duckdb('15CastFunctionSet', '16ImplicitCastCostERNS_16DatabaseInstanceERKNS_11LogicalTypeES5_'),
  defaultCast: duckdb(
    '12DefaultCasts',
    '22GetDefaultCastFunctionERNS_13BindCastInputERKNS_11LogicalTypeES5_',
  ),
  // Its address goes into the engine's table, where a 64-bit integer is one: hence not the exported stub.
  reinterpretCast: `orig$${duckdb('12DefaultCasts', '15ReinterpretCastERNS_6VectorES2_yRNS_14CastParametersE')}`,
  castError: duckdb(
    '15HandleCastError',
    `11AssignErrorERK${TEXT}1_${REST}1_9allocatorIcEEEERNS_14CastParametersE`,
  ),
  castVector: duckdb('16VectorOperations', '11DefaultCastERNS_6VectorES2_yb'),
  tryCastVector: duckdb(
    '16VectorOperations',
    `14DefaultTryCastERNS_6VectorES2_yP${TEXT}3_${REST}3_9allocatorIcEEEEb`,
  ),
  flattenVector: duckdb('6Vector', '7FlattenEy'),
} as const;
