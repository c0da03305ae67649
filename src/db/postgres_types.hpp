// The type numbers that every PostgreSQL server has in common.
#pragma once

#include <libpq-fe.h>

#include <cstdint>

namespace rowq::detail::db::pg {

inline constexpr Oid boolean = 16;
inline constexpr Oid bytea = 17;
inline constexpr Oid one_char = 18;
inline constexpr Oid name = 19;
inline constexpr Oid int8 = 20;
inline constexpr Oid int2 = 21;
inline constexpr Oid int4 = 23;
inline constexpr Oid text = 25;
inline constexpr Oid oid = 26;
inline constexpr Oid json = 114;
inline constexpr Oid float4 = 700;
inline constexpr Oid float8 = 701;
inline constexpr Oid unknown = 705;
inline constexpr Oid bpchar = 1042;
inline constexpr Oid varchar = 1043;
inline constexpr Oid date = 1082;
inline constexpr Oid timestamp = 1114;
inline constexpr Oid timestamptz = 1184;
inline constexpr Oid numeric = 1700;
inline constexpr Oid uuid = 2950;
inline constexpr Oid jsonb = 3802;

// Between 1970 and 2000, from which the server counts.
inline constexpr std::int64_t epoch_days = 10'957;
inline constexpr std::int64_t day_us = 86'400'000'000;
inline constexpr std::int64_t epoch_us = epoch_days * day_us;

} // namespace rowq::detail::db::pg
