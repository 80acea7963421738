// Fuzzes the reader of look-up tables (--apply): any bytes are read or rejected. A table that was read contains only
// valid levels and survives a round trip.
#include "fuzz/finding.hpp"
#include "fuzz/fuzz_input.hpp"
#include "gpuimg/error.hpp"
#include "report/table_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuimg;
  try {
    const LevelTables tables = level_tables_from_csv(std::as_bytes(std::span(data, size)), "fuzzed");
    fuzz::demand(tables.maps.size() == 1 || tables.maps.size() == 3, "another number of tables");
    for (const auto& map : tables.maps) {
      fuzz::demand(map.size() == tables.maps.front().size(), "tables of several sizes");
      for (const std::uint16_t level : map) {
        fuzz::demand(level < map.size(), "a table leads to a level that there is not");
      }
    }
    const std::string text = level_tables_to_csv(tables);
    const LevelTables again = level_tables_from_csv(std::as_bytes(std::span(text)), "again");
    fuzz::demand(again.maps == tables.maps, "read back as another table");
  } catch (const Error& error) {
    fuzz::demand(error.kind() == ErrorKind::decode, error.what());
  }
  return 0;
}
