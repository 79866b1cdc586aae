/** Placeholders of the expressions below: two instants, a leap day and a day on which clocks change in places. */
const INSTANTS: { readonly [name: string]: string } = {
  '{T}': "TIMESTAMPTZ '2024-02-29 12:34:56.789012+00'",
  '{U}': "TIMESTAMPTZ '2023-11-05 01:02:03+00'",
};

const filled = (list: string): readonly string[] =>
  list
    .trim()
    .split('\n')
    .map((line) => line.replace(/\{[TU]\}/g, (name) => INSTANTS[name] ?? name));

/** Expressions of dates and times that both engines answer the same: value, type, or the code of the error. */
export const DATES = filled(`
now() - now()
now() > TIMESTAMPTZ '2020-01-01'
typeof(current_timestamp)
typeof(current_date)
typeof(current_time)
typeof(get_current_timestamp())
typeof(get_current_time())
typeof(localtime)
typeof(localtimestamp)
typeof(today())
current_date = today()
current_date = now()::DATE
current_date = CAST(now() AS DATE)
(current_time - current_time)
now()::TIMESTAMP::DATE = current_date
date_diff('day', current_date, today())
{T} + INTERVAL 1 DAY
{T} + INTERVAL '1 month'
INTERVAL 1 HOUR + {T}
{T} - INTERVAL 1 YEAR
{T} - INTERVAL '1 month 2 days 3 hours'
{T} - {U}
TIMESTAMPTZ '2024-03-31' - INTERVAL 1 MONTH
TIMESTAMPTZ '2024-01-31' + INTERVAL 1 MONTH
{T} - TIMESTAMP '2024-01-01'
{T} - DATE '2024-01-01'
date_trunc('day', {T})
date_trunc('month', {T})
date_trunc('week', {T})
date_trunc('hour', {T})
date_trunc('quarter', {T})
date_trunc('year', {T})
date_trunc('century', {T})
date_trunc('decade', {T})
date_trunc('millennium', {T})
date_trunc('minute', {T})
date_trunc('second', {T})
date_trunc('milliseconds', {T})
date_trunc('microseconds', {T})
date_trunc('isoyear', {T})
datetrunc('day', {T})
date_trunc('nonsense', {T})
date_part('year', {T})
date_part('epoch', {T})
date_part('timezone', {T})
date_part('timezone_hour', {T})
date_part('dow', {T})
date_part('isodow', {T})
date_part('doy', {T})
date_part('week', {T})
date_part('yearweek', {T})
date_part('era', {T})
date_part('julian', {T})
date_part('microseconds', {T})
date_part('nanosecond', {T})
date_part(['year', 'month'], {T})
date_part(['epoch', 'julian', 'timezone'], {T})
datepart('hour', {T})
extract(year FROM {T})
extract('month' FROM {T})
extract(epoch FROM {T})
extract(hour FROM {T})
extract(timezone FROM {T})
year({T})
month({T})
day({T})
hour({T})
minute({T})
second({T})
millisecond({T})
microsecond({T})
nanosecond({T})
quarter({T})
week({T})
weekday({T})
dayofweek({T})
isodow({T})
dayofyear({T})
yearweek({T})
isoyear({T})
era({T})
century({T})
decade({T})
millennium({T})
timezone({T})
timezone_hour({T})
timezone_minute({T})
julian({T})
dayname({T})
monthname({T})
last_day({T})
epoch({T})
epoch_ms({T})
epoch_us({T})
epoch_ns({T})
strftime({T}, '%Y-%m-%d %H:%M:%S.%f')
strptime('2024-02-29 12:34:56 +0200', '%Y-%m-%d %H:%M:%S %z')
try_strptime('nope', '%Y-%m-%d %z')
try_strptime('2024-02-29 +01', '%Y-%m-%d %z')
date_diff('day', {U}, {T})
date_diff('month', {U}, {T})
date_diff('hour', {U}, {T})
date_diff('year', {U}, {T})
date_diff('week', {U}, {T})
datediff('quarter', {U}, {T})
date_sub('day', {U}, {T})
date_sub('month', {U}, {T})
datesub('hour', {U}, {T})
date_add({T}, INTERVAL 1 DAY)
age({T}, {U})
age({U}, {T})
typeof(age({T}))
time_bucket(INTERVAL '15 minutes', {T})
time_bucket(INTERVAL '1 day', {T})
time_bucket(INTERVAL '1 month', {T})
time_bucket(INTERVAL '1 week', {T})
time_bucket(INTERVAL '1 hour', {T}, INTERVAL '20 minutes')
time_bucket(INTERVAL '1 day', {T}, TIMESTAMPTZ '2024-01-01 06:00:00+00')
make_timestamptz(2024, 2, 29, 12, 34, 56.789)
make_timestamptz(1709210096789012)
to_timestamp(1709210096.5)
to_timestamp(0)
epoch_ms(1709210096789)
{T}::TIMESTAMP
{T}::DATE
{T}::TIME
{T}::VARCHAR
{T}::TIMETZ
TIME '10:00:00'::TIMESTAMPTZ
TIMETZ '10:00:00+00'::TIMESTAMPTZ
TRY_CAST('nope' AS TIMESTAMPTZ)
CAST('2024-02-29 12:00:00+02:00' AS TIMESTAMPTZ)
'2024-02-29 12:00:00'::TIMESTAMPTZ
'2024-02-29'::TIMESTAMPTZ
'2024-02-29T12:00:00Z'::TIMESTAMPTZ
'2024-02-29 12:00:00 UTC'::TIMESTAMPTZ
'infinity'::TIMESTAMPTZ
'epoch'::TIMESTAMPTZ
TIMESTAMP '2024-02-29 12:34:56'::TIMESTAMPTZ
DATE '2024-02-29'::TIMESTAMPTZ
{T} AT TIME ZONE 'UTC'
TIMESTAMP '2024-02-29 12:34:56' AT TIME ZONE 'UTC'
timezone('UTC', {T})
timezone('utc', TIMESTAMP '2024-02-29 12:34:56')
{T} AT TIME ZONE 'Etc/UTC'
{T} AT TIME ZONE 'GMT'
{T} AT TIME ZONE 'Z'
TIMESTAMP '2024-02-29 12:34:56' AT TIME ZONE 'z'
TIMESTAMP '2024-02-29 12:34:56' AT TIME ZONE 'Zulu'
{T} AT TIME ZONE (SELECT 'UTC')
TIMESTAMP '2024-02-29 12:34:56' AT TIME ZONE (SELECT 'UTC')
(SELECT {T}) AT TIME ZONE 'UTC'
date_trunc((SELECT 'day'), {T})
strptime((SELECT '2024'), '%Y')
strftime((SELECT {T}), '%Y')
{T} BETWEEN {U} AND now()
{T} = TIMESTAMP '2024-02-29 12:34:56.789012'
{T}::DATE = DATE '2024-02-29'
{T} > DATE '2024-02-29'
range({U}, {U} + INTERVAL 3 DAY, INTERVAL 1 DAY)
generate_series({U}, {U} + INTERVAL 2 DAY, INTERVAL 1 DAY)
date_trunc('day', NULL::TIMESTAMPTZ)
date_trunc(NULL, {T})
NULL::TIMESTAMPTZ + INTERVAL 1 DAY
date_trunc('day', 'infinity'::TIMESTAMPTZ)
date_part('year', 'infinity'::TIMESTAMPTZ)
'infinity'::TIMESTAMPTZ + INTERVAL 1 DAY
'infinity'::TIMESTAMPTZ::DATE
'infinity'::TIMESTAMPTZ::TIMETZ
TRY_CAST('-infinity'::TIMESTAMPTZ AS TIMETZ)
{'a': 'infinity'::TIMESTAMPTZ}::STRUCT(a TIMETZ)
TIMESTAMPTZ '1969-12-31 23:59:59.999999+00'::TIMETZ
TIMESTAMPTZ '0044-03-15 (BC) 01:02:03+00'::TIMETZ
(SELECT list(t::TIMETZ) FROM (VALUES ({T}), (NULL), ('infinity'::TIMESTAMPTZ), ({U})) v(t))
date_trunc('month', TIMESTAMPTZ '0044-03-15 (BC) 00:00:00+00')
date_trunc('week', TIMESTAMPTZ '1582-10-10 00:00:00+00')
date_part('doy', TIMESTAMPTZ '1500-03-01 00:00:00+00')
TIMESTAMPTZ '1500-02-28' + INTERVAL 1 DAY
TIMESTAMPTZ '1969-12-31 23:59:59.999999+00'::DATE
isfinite({T})
isinf({T})
greatest({T}, {U})
(SELECT date_trunc('month', t) FROM (VALUES ({T}), ({U})) v(t) ORDER BY 1 LIMIT 1)
(SELECT max(t)::DATE FROM (VALUES ({T}), ({U}), (NULL)) v(t))
(SELECT list(t + INTERVAL 1 DAY) FROM (VALUES ({T}), ({U}), (NULL)) v(t))
(SELECT list(t::DATE) FROM (VALUES ({T}), (NULL), ({U})) v(t))
(SELECT list(date_part('month', t)) FROM (VALUES ({T}), (NULL), ({U})) v(t))
(SELECT list(strftime(t, '%Y')) FROM (VALUES ({T}), (NULL), ({U})) v(t))
(SELECT list(t AT TIME ZONE 'UTC') FROM (VALUES ({T}), (NULL), ({U})) v(t))
`);
