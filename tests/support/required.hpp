// The one way for a test to be skipped: what it needs is missing on this machine.
#pragma once

#include "support/databases.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

// Ends the test if there is a reason, as skipped or, under ROWQ_REQUIRE=all, as failed. A test that means nothing to some databases or forms
// is not made for them, see ROWQ_CASES.
#define ROWQ_SKIP_IF(reason)                                                                       \
    if (const std::optional<std::string> rowq_reason = (reason)) {                                 \
        if (rowq::test::all_required()) FAIL() << *rowq_reason;                                    \
        GTEST_SKIP() << *rowq_reason;                                                              \
    }
