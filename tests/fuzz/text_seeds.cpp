// Text seeds, written by hand and by gpuimg: histograms, look-up tables, manifests, command lines and lists of names.
#include <string_view>

#include "batch/manifest.hpp"
#include "fuzz/seed_folder.hpp"
#include "report/histogram_file.hpp"
#include "report/table_text.hpp"

namespace gpuimg::fuzz {
namespace {

using namespace std::string_view_literals;

void add_histograms(SeedFolder& seeds) {
  const auto add = [&](const std::vector<Channel>& channels, std::size_t levels, const ReportOptions& options,
                       const ImageFacts& facts) {
    Histogram histogram;
    for (const Channel channel : channels) {
      histogram.channels.push_back({channel, std::vector<std::uint64_t>(levels, 3)});
    }
    histogram.counted = 3 * levels;
    seeds.add("fuzz_histogram_json", to_json(make_report(histogram, options, facts)));
  };
  ReportOptions few_bins;
  few_bins.bins = 4;
  few_bins.normalize = true;
  ImageFacts sum;
  sum.is_sum = true;
  sum.images = 3;
  sum.pixels = 5000;
  add({Channel::luma}, 256, {}, {"a.png", 16, 48, 8, 3});
  add({Channel::luma}, 8, few_bins, {"\xff.png", 4, 6, 8, 3});
  add({Channel::red, Channel::green, Channel::blue}, 4, {}, sum);
  add({Channel::hue}, 6, {}, {"a", 3, 6, 16, 4});
}

void add_level_tables(SeedFolder& seeds) {
  for (const std::size_t count : {1U, 3U}) {
    LevelTables tables;
    tables.maps.assign(count, std::vector<std::uint16_t>(256, 7));
    seeds.add("fuzz_level_tables", level_tables_to_csv(tables));
  }
  seeds.add("fuzz_level_tables", "\xEF\xBB\xBFlevel,luma\r\n0,1\r\n");
}

void add_manifests(SeedFolder& seeds) {
  RunRecord run{"equalize", "0123456789abcdef", "0.1.0", 2, 2, {1, 1, ""}, "/data/\xff"};
  ItemRecord item;
  item.input = "in/\xff\n.png";
  item.output = "out/a.png";
  item.bytes = 70;
  item.mtime_ns = -1;
  item.parameters = run.parameters;
  ItemRecord failed = item;
  failed.input = "in/b.png";
  failed.status = ItemStatus::failed;
  failed.error_kind = "decode";
  failed.message = "in/b.png: damaged";
  ItemRecord skipped = item;
  skipped.input = "c";
  skipped.status = ItemStatus::skipped;
  seeds.add("fuzz_manifest", manifest_line(run));
  seeds.add("fuzz_manifest", manifest_line(run) + manifest_line(item));
  seeds.add("fuzz_manifest", manifest_line(run) + manifest_line(failed) + manifest_line(skipped));
  ItemRecord begun = item;
  begun.status = ItemStatus::begun;
  begun.files = {"out/a_h.png", "out/a_\xff.png"};
  seeds.add("fuzz_manifest", manifest_line(run) + manifest_line(begun));
  run.shard = {2, 5, ""};
  seeds.add("fuzz_manifest", manifest_line(run) + manifest_line(item) + "{\"input\": \"cut");
}

void add_command_lines(SeedFolder& seeds) {
  constexpr std::string_view kLines[] = {
      "hist\0in.jpg"sv,
      "hist\0--channel\0rgb\0--log\0in.png\0plot.svg"sv,
      "hist\0--bins\0"
      "32\0--normalize\0--roi\0"
      "0,0,640,480\0in.png\0counts.csv"sv,
      "hist\0--merge\0photos/\0total.json\0--format=json"sv,
      "equalize\0--color=ycbcr\0--strength\0"
      "0.5\0photo.jpg\0photo_eq.jpg"sv,
      "equalize\0--recursive\0photos/\0out/\0-j4\0--max-memory=2G"sv,
      "equalize\0a\0b\0--png-level=3\0--quality\0"
      "90\0--subsampling=4:2:0\0--strip"sv,
      "integral\0--layout\0inclusive\0--square\0--type\0f64\0in.png\0squares.npy"sv,
      "integral\0-0\0--files-from\0-\0tables/\0--shard\0"
      "2/8"sv,
      "hsl\0--saturation\0"
      "1.3\0--hue=-120\0in.jpg\0vivid.png\0--lightness=.9"sv,
      "hsl\0--inverse\0--depth\0"
      "16\0hsl.png\0rgb.png"sv,
      "hsl\0-rn\0photos\0--output\0{dir}/{stem}_x.png\0--include\0*.png\0--exclude=*2*"sv,
      "denoise\0a.jpg\0b.jpg\0--then\0equalize\0--clahe\0--quality=keep\0--then\0threshold\0--depth\0"
      "8"sv,
      "--backend=cpu\0equalize\0photos/\0stats.csv\0--then\0hist\0--table\0-j\0"
      "2"sv,
      "convert\0in.tif\0out.npy\0--then\0hsl\0--hue\0"
      "3\0--then"sv,
      "resize\0--size\0"
      "80%\0in.png\0out.jpg\0--then\0rotate\0"
      "90\0--then\0flip\0vertical\0--then\0crop\0--box=1,2,3,4\0--then\0denoise\0--sigma\0auto"sv,
      "hsl\0--inverse\0in.npy\0out.tif\0--then\0integral\0--mean\0"
      "5x3\0--then\0equalize\0--clahe\0--tiles\0"
      "3x2\0--roi\0"
      "0,0,9,9\0--resume\0m.jsonl\0--then\0threshold\0--method\0sauvola"sv,
      "threshold\0--classes\0"
      "3\0--flatten=31x5\0in.png\0out.tif\0--then\0threshold\0--method=wolf\0--k\0.5\0--window=9"sv,
      "deskew\0--fill\0#fff0e0\0scans/\0out/\0--then\0threshold\0--then\0despeckle\0--size=9\0--color\0both"sv,
      "report\0--json\0run.jsonl\0more.jsonl"sv,
      "bench\0--size\0"
      "64\0--svg\0t.svg\0--backend\0cpu\0--threads\0"
      "1"sv,
      "doctor\0--device\0"
      "1"sv,
      "--help"sv,
      "hsl\0--help"sv,
      "--version"sv,
      "histt\0--formla\0x"sv,
      "--quiet\0hist\0--verbose\0--\0-in.png"sv,
  };
  for (const std::string_view line : kLines) {
    seeds.add("fuzz_arguments", std::string(line));
  }
}

void add_lists(SeedFolder& seeds) {
  constexpr std::string_view kLists[] = {
      "\0\0*.png\0a.png\nb/c.png\nb/d.jpg\n"sv,
      "\1\1b/*\0a.png\0../b\nc.png\0"sv,
      "\0\2[a-c]?\0/etc/x.png\n../../y.png\n./z.png"sv,
      "\1\3.*\0.hidden\0...png\0..png\0..\0"sv,
      "\0\4*\0{dir}/{stem}_x.png\0a/../b.png\n//c.png"sv,
      "\0\4*\0out/{rel}/{name}.{ext}\0a/b.png\nc"sv,
      "\1\4*\0{index}{{}}\0a\0b\0"sv,
  };
  for (const std::string_view list : kLists) {
    seeds.add("fuzz_file_lists", std::string(list));
  }
}

}  // namespace

void add_text_seeds(SeedFolder& seeds) {
  add_histograms(seeds);
  add_level_tables(seeds);
  add_manifests(seeds);
  add_command_lines(seeds);
  add_lists(seeds);
}

}  // namespace gpuimg::fuzz
