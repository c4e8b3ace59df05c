// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/rows/json/writer.hpp>
#include <bulk/run/parked_row.hpp>
#include <bulk/run/row_text.hpp>

#include <string>

namespace bulk {

/// A reader that can show its last row as it stands in the file.
template <typename Reader>
concept shows_raw_rows = requires(const Reader& reader) { reader.raw(); };

/// Where a row stands in its file. Line and text are asked for only when the row is parked or
/// failed: few are, and counting lines takes time.
class row_place {
public:
    template <typename Reader, typename Row>
    row_place(const Reader& reader, const Row& row)
        : number_{reader.row()},
          from_{&reader},
          row_{&row},
          describe_{[](const row_place& self) -> row_text {
              const auto& reader = *static_cast<const Reader*>(self.from_);
              if constexpr (shows_raw_rows<Reader>) {
                  return row_text{reader.raw(), reader.line()};
              } else {  // a format that does not: JSON can hold any row
                  std::string json;
                  json::write_row(json, *static_cast<const Row*>(self.row_), {.reveal_pii = true});
                  return row_text{json, reader.line()};
              }
          }} {}

    explicit row_place(const parked_row& woken)
        : number_{woken.row}, from_{&woken}, describe_{[](const row_place& self) -> row_text {
              const auto& before = *static_cast<const parked_row*>(self.from_);
              return row_text{before.raw.view(), before.raw.line()};
          }} {}

    [[nodiscard]] row_number number() const { return number_; }
    [[nodiscard]] row_text describe() const { return describe_(*this); }

private:
    row_number number_;
    const void* from_;
    const void* row_ = nullptr;
    row_text (*describe_)(const row_place&);
};

}  // namespace bulk
