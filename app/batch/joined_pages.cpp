// Processes all pages of a file in parallel, and joins them in order into one file. docs/batch.md, "Pages".
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batch/batch_item.hpp"
#include "batch/devices.hpp"
#include "batch/pipeline.hpp"
#include "batch/session.hpp"
#include "codecs/codec.hpp"
#include "codecs/file_header.hpp"
#include "codecs/rejections.hpp"
#include "engine/memory.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

/// A page in the pipeline. Its outputs are kept in memory.
struct JoinedPage : BatchItem {
  PlanItem page;
  std::optional<ItemReport> report = std::nullopt;
  std::vector<ItemOutputs::Kept> made;
  std::exception_ptr failure;
};

class JoinedPages : public ImageJob {
 public:
  JoinedPages(ImageJob& job, const BatchOptions& options, const GlobalOptions& globals)
      : job_(job), options_(options), globals_(globals) {}

  [[nodiscard]] std::vector<OperationTraits> operations() const override { return job_.operations(); }
  void check_name(const std::string& output) const override { job_.check_name(output); }
  void note_options(const std::string& output, Verbosity verbosity) const override {
    job_.note_options(output, verbosity);
  }
  [[nodiscard]] bool prints_json_lines() const override { return job_.prints_json_lines(); }
  [[nodiscard]] bool is_binary(const std::string& output) const override { return job_.is_binary(output); }
  [[nodiscard]] std::string extension_for(const std::string& input) const override { return job_.extension_for(input); }
  [[nodiscard]] std::vector<std::string> input_extensions() const override { return job_.input_extensions(); }
  [[nodiscard]] ExtraBytes extra_bytes(const codecs::DeclaredImage& image, const std::string& output) const override {
    return job_.extra_bytes(image, output);
  }
  void prepare(Worker& worker) override { job_.prepare(worker); }
  [[nodiscard]] bool joins_pages() const override { return true; }

  InOrder run(Worker& worker, const ItemPaths& paths) const override {
    if (is_stream(paths.input)) {
      throw Error(ErrorKind::usage, "standard input is read once; to join its pages, save it to a file and name that");
    }
    const codecs::PageList list = codecs::pages_in(paths.input);
    if (!list.lost.empty()) {
      codecs::reject_lost_pages(printable_name(paths.input, list.count() + 1), list.lost);
    }
    if (list.count() == 1) {
      return job_.run(worker, paths);
    }
    std::vector<JoinedPage> pages;
    for (std::uint32_t page = 1; page <= list.count(); ++page) {
      pages.emplace_back().page = {.input = paths.input, .output = paths.output, .page = {page, list.places[page - 1]}};
    }
    const auto* format = codecs::codec_written_as(file_extension(paths.output));
    worker.writer.save_parts(paths.output, [&](const FileParts& to) {
      const std::unique_ptr<codecs::PageJoiner> joiner = format->open_page_joiner(to.place);
      join(pages, worker, paths, *joiner);
      joiner->finish();
    });
    std::vector<InOrder> steps;
    for (JoinedPage& page : pages) {
      steps.push_back(std::move(page.in_order));
    }
    return [steps = std::move(steps)] {
      for (const InOrder& step : steps) {
        if (step) {
          step();
        }
      }
    };
  }

 private:
  void join(std::vector<JoinedPage>& pages, Worker& worker, const ItemPaths& paths, codecs::PageJoiner& joiner) const {
    const int jobs = jobs_for(pages, paths);
    GlobalOptions options = worker.options;
    options.threads = std::max(1, processors(globals_) / jobs);
    WorkerPool pool(options, devices_of(options_.devices, globals_, options.backend));
    std::size_t next = 0;
    std::size_t done = 0;
    CauseCounts notes;
    const Stages stages{[&]() -> BatchItem* { return next < pages.size() ? &pages[next++] : nullptr; },
                        [&](BatchItem& item) { compute(static_cast<JoinedPage&>(item), *pool.lease()); },
                        [&](BatchItem& item) {
                          auto& page = static_cast<JoinedPage&>(item);
                          tell(page, notes, worker.report);
                          end(page, joiner);
                          if (const ItemReport::Watcher& watcher = worker.report.watcher()) {
                            watcher(static_cast<double>(++done) / static_cast<double>(pages.size()));
                          }
                        }};
    StageRun().run(stages, jobs, static_cast<std::size_t>(jobs));
    for (std::string& rest : notes.rest("")) {
      worker.report.note(std::move(rest));
    }
  }

  /// The number of pages that may be in memory at the same time.
  [[nodiscard]] int jobs_for(const std::vector<JoinedPage>& pages, const ItemPaths& paths) const {
    std::uint64_t bytes = 1;
    for (const JoinedPage& page : pages) {
      const codecs::DeclaredImage declared = codecs::declared_image_in(paths.input, page.page.page);
      const bool is_rejected = declared.pixels() > globals_.max_pixels;  // the decoder will reject it
      bytes = std::max(bytes, whole_bytes(job_, {paths.input, paths.output, page.page.page}, declared.decoding_bytes(),
                                          is_rejected ? codecs::DeclaredImage{} : declared, true));
    }
    if (const auto most = memory_for_one(globals_.max_memory); most && bytes > most->bytes) {
      throw Error(ErrorKind::out_of_memory, printable_name(paths.input) + ": " + why_too_large(bytes, *most));
    }
    const std::uint64_t fitting = std::max<std::uint64_t>(memory_for_images(globals_.max_memory) / bytes, 1);
    const int wanted = options_.jobs > 0 ? options_.jobs : processors(globals_);
    return static_cast<int>(std::min({fitting, std::uint64_t{pages.size()}, static_cast<std::uint64_t>(wanted)}));
  }

  /// Keeps a failure until it is the page's turn, so that the first failure in page order is reported.
  void compute(JoinedPage& page, Worker& worker) const {
    page.failure = caught([&] {
      tbb::this_task_arena::isolate([&] {
        worker.begin_page(page.page.page);
        page.in_order = job_.run(worker, {page.page.input, page.page.output, page.page.page});
        page.made = worker.writer.take_kept();
      });
    });
    page.report.emplace(std::move(worker.report));
  }

  /// If several pages have equal notes, prints the first three.
  static void tell(JoinedPage& page, CauseCounts& notes, ItemReport& report) {
    constexpr std::uint64_t kMostNotes = 3;
    std::vector<Message> told;
    for (Message& message : page.report->take_messages()) {
      const std::string cause = text_without_names(message.text, page.page);
      if (message.least == Verbosity::verbose || notes.add("", cause, kMostNotes, CauseCounts::Others::told)) {
        told.push_back({message.least, text_with_name(message.text, page.page)});
      }
    }
    report.add_part(*page.report, std::move(told));
    page.report.reset();
  }

  static void end(JoinedPage& page, codecs::PageJoiner& joiner) {
    if (page.failure) {
      rethrow_with_name(page);
    }
    for (const ItemOutputs::Kept& made : page.made) {
      std::vector<std::byte> room;
      joiner.add(made.content->in_one_piece(room));
    }
    page.made.clear();
  }

  [[noreturn]] static void rethrow_with_name(const JoinedPage& page) {
    try {
      std::rethrow_exception(page.failure);
    } catch (const Error& error) {
      throw Error(error.kind(), text_with_name(error.what(), page.page));
    }
  }

  ImageJob& job_;
  BatchOptions options_;
  const GlobalOptions& globals_;
};

}  // namespace

std::unique_ptr<ImageJob> joined_pages(ImageJob& job, const BatchOptions& options, const GlobalOptions& globals) {
  return std::make_unique<JoinedPages>(job, options, globals);
}

}  // namespace gpuimg
