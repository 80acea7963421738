// hist --table: a row of statistics for each image, in the order of the inputs. With --resume, the rows of the earlier
// run come from its manifest. docs/batch.md, "A table".
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/output_options.hpp"
#include "commands/hist.hpp"
#include "commands/side_inputs.hpp"
#include "report/histogram_file.hpp"
#include "report/histogram_report.hpp"
#include "report/level_check.hpp"

namespace gpuimg::commands::hist {
namespace {

const OutputFormats<TableFormat> kTableFormats = {
    "a table", {{"csv", TableFormat::csv}, {"jsonl", TableFormat::jsonl, "", {"json", "ndjson"}}}, TableFormat::csv};

TableFormat table_format_of(const Arguments& arguments, const std::string& output) {
  const bool prints_json = arguments.json && arguments.format.empty() && (output.empty() || is_untyped_stream(output));
  return prints_json ? TableFormat::jsonl : output_format(kTableFormats, arguments.format, output);
}

/// Luma and the other channels of the image.
std::vector<Channel> channels_of(PixelFormat format) {
  std::vector<Channel> channels = {Channel::luma};
  if (format.color_channels() == 3) {
    channels.insert(channels.end(), {Channel::red, Channel::green, Channel::blue});
  }
  if (format.has_alpha()) {
    channels.push_back(Channel::alpha);
  }
  return channels;
}

class HistTableJob final : public ImageJob {
 public:
  explicit HistTableJob(const Arguments& arguments)
      : arguments_(arguments), columns_(table_columns(arguments.columns)), checks_(level_checks(arguments.fail_if)) {
    options_.luma = value_named("--luma", arguments.luma, kLumaNames);
    options_.selection = checked_selection(arguments.selection);
  }

  void check_name(const std::string& output) const override { (void)table_format_of(arguments_, output); }
  void note_options(const std::string& output, Verbosity verbosity) const override {
    note_misleading_extension(kTableFormats, arguments_.format, output, verbosity);
    const auto note = [&](bool applies, const char* option) {
      note_no_effect(applies, option, "--table writes statistics of luma and all channels", verbosity);
    };
    note(arguments_.channel != Arguments().channel, "--channel");
    note(arguments_.bins.has_value(), "--bins");
    note(arguments_.cumulative, "--cumulative");
    note(arguments_.normalize, "--normalize");
    note(arguments_.log, "--log");
    note(!arguments_.range.empty(), "--range");
    note(!arguments_.title.empty(), "--title");
  }
  [[nodiscard]] bool may_print() const override { return true; }
  [[nodiscard]] bool is_binary(const std::string& /*output*/) const override { return false; }
  [[nodiscard]] std::string extension_for(const std::string& /*input*/) const override { return "csv"; }
  [[nodiscard]] ExtraBytes extra_bytes(const codecs::DeclaredImage& image,
                                       const std::string& /*output*/) const override {
    return held_by_steps(image);
  }
  [[nodiscard]] std::vector<OperationTraits> operations() const override { return followed_by(traits_of(options_)); }
  [[nodiscard]] bool visits_rows(const std::string& /*output*/) const override { return steps_.takes_bands(); }
  [[nodiscard]] bool merges() const override { return true; }
  /// With --total, several names of one file count as one row.
  [[nodiscard]] bool adds_up() const override { return arguments_.total; }
  /// The manifest keeps rows, not counts.
  [[nodiscard]] bool can_resume() const override { return !arguments_.total; }

  void prepare(Worker& worker) override {
    ImageJob::prepare(worker);
    mask_ = load_mask(arguments_.selection.mask, worker);
  }

  InOrder run(Worker& worker, const ItemPaths& paths) const override {
    codecs::DecodedImage decoded = load_rows(worker, paths, rows_when(RowsWhen::always));
    const ImageSteps::OfImage before = steps_.for_image(decoded, paths.input, worker);
    const ImageShape& shape = before.result;
    worker.loader.note_luma_of(shape.format, decoded.metadata, paths.input);
    ImageFacts facts = facts_of_image(shown_input(paths), shape.width, shape.height, shape.format);
    facts.pages = static_cast<int>(decoded.pages);
    const auto count = [&](Backend& backend, const Picture& picture, const Picture* mask) {
      return counted(backend, picture, mask);
    };
    const Histogram histogram =
        worker.executor.count(OperationInput(std::move(decoded)), before.steps,
                              {count, mask_, "hist", fit_of(options_), traits_of(options_).only_on});
    save_side_files(before, worker);
    HistogramReport report = make_report(histogram, {}, facts);
    const std::string cells = table_cells(report);
    worker.report.keep_result(cells);
    if (shape.format.has_alpha()) {
      report.channels.pop_back();  // checks skip alpha: opaque pixels are not clipped
    }
    std::optional<Error> failed;
    try {
      reject_if_met(checks_, report);
    } catch (const Error& error) {
      failed = error;
    }
    const auto pixels = static_cast<std::uint64_t>(shape.width) * static_cast<std::uint64_t>(shape.height);
    InOrder add = adding(histogram, pixels, shown_input(paths), cells);
    return [add = std::move(add), failed = std::move(failed)] {
      add();  // an image that fails a check also gets its row
      if (failed) {
        throw Error(*failed);
      }
    };
  }

  [[nodiscard]] InOrder again(const std::string& input, const std::string& cells) const override {
    return [rows = rows_.get(), input, cells] { rows->push_back({input, cells}); };
  }

  [[nodiscard]] bool has_merged() const override { return !rows_->empty(); }
  void finish(Worker& worker, const std::string& output) const override {
    const TableFormat format = table_format_of(arguments_, output);
    worker.writer.save(output.empty() ? "-" : output, [&] {
      std::string text = table_header(format, columns_);
      for (const Row& row : *rows_) {
        text += table_row(format, row.name, row.cells, columns_);
      }
      return arguments_.total ? text + table_row(format, "total", total_->cells(), columns_) : text;
    });
  }

 private:
  /// Counts luma and colors of the selected pixels. Unless --transparent is given, alpha is counted for all pixels in
  /// the region and mask.
  [[nodiscard]] Histogram counted(Backend& backend, const Picture& picture, const Picture* mask) const {
    HistogramOptions options = options_;
    options.channels = channels_of(picture.format());
    options.selection.mask = mask;
    Histogram histogram = backend.histogram(picture, options);
    if (!picture.format().has_alpha() || !arguments_.selection.transparent.empty()) {
      return histogram;
    }
    std::vector<std::uint64_t>& alpha = histogram.channels.back().counts;
    if (mask == nullptr) {  // the pixels of the region that are not counted are transparent: their alpha is 0
      const std::optional<Rect>& region = options.selection.region;
      const std::uint64_t selected =
          region ? static_cast<std::uint64_t>(region->width) * static_cast<std::uint64_t>(region->height)
                 : picture.pixel_count();
      alpha.front() += selected - histogram.counted;
      return histogram;
    }
    options.channels = {Channel::alpha};
    options.selection.count_transparent = true;
    alpha = std::move(backend.histogram(picture, options).channels.front().counts);
    return histogram;
  }

  struct Row {
    std::string name;
    std::string cells;
  };

  /// Adds the row of an image, and its counts to the total.
  [[nodiscard]] InOrder adding(const Histogram& histogram, std::uint64_t pixels, const std::string& name,
                               const std::string& cells) const {
    if (!arguments_.total) {
      return again(name, cells);
    }
    return [add = again(name, cells), total = total_.get(), counts = std::make_shared<const Histogram>(histogram),
            pixels, name] {
      const std::vector<Histogram> prepared = total->prepare(*counts, name);
      add();
      total->add(prepared, pixels);
    };
  }

  const Arguments& arguments_;
  std::vector<std::string> columns_;
  HistogramOptions options_;
  std::vector<LevelCheck> checks_;
  SharedMask mask_;
  std::unique_ptr<TableTotal> total_ = std::make_unique<TableTotal>();
  std::unique_ptr<std::vector<Row>> rows_ = std::make_unique<std::vector<Row>>();
};

}  // namespace

std::unique_ptr<ImageJob> make_table_job(const Arguments& arguments) {
  reject_together(arguments.merge, "--table", "--merge");
  reject_together(arguments.overlay, "--table", "--overlay");
  reject_together(arguments.chart, "--table", "--chart");
  reject_together(arguments.summary, "--table", "--summary");
  return std::make_unique<HistTableJob>(arguments);
}

}  // namespace gpuimg::commands::hist
