// Writes a histogram as CSV.
#include "report/csv.hpp"

#include "text/channel_names.hpp"
#include "text/number_text.hpp"

namespace gpuimg {

std::string to_csv(const HistogramReport& report) {
  const bool with_from = report.options.bins.has_value();
  std::string csv = with_from ? "bin,from" : "bin";
  for (const ChannelReport& channel : report.channels) {
    csv += ',';
    csv += channel_name(channel.channel);
  }
  csv += '\n';
  for (std::uint32_t bin = 0; bin < report.axis.bins; ++bin) {
    append_number(csv, bin);
    if (with_from) {
      append_number(csv += ',', report.axis.start_of_bin(bin));
    }
    for (const ChannelReport& channel : report.channels) {
      csv += ',';
      csv += value_text(report, channel.values[bin]);
    }
    csv += '\n';
  }
  return csv;
}

}  // namespace gpuimg
