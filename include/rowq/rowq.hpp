// All of rowq: describe a table, subscribe to it, publish into it.
#pragma once

#include <rowq/broker.hpp>
#include <rowq/json.hpp>
#include <rowq/publisher.hpp>
