// gpuimg_cpu_bench: compares the CPU backend with OpenCV on one image in memory, with the same number of threads.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gpuimg/backend.hpp"

namespace gpuimg::bench {
namespace {

struct Options {
  int side = 4096;
  int repeats = 11;
  std::string data = "photo";
  std::vector<int> threads = {1, 2};
};

/// One scene in gray and in RGB.
struct Scene {
  cv::Mat gray;
  cv::Mat rgb;
};

/// Smooth noise of several octaves with a little grain.
cv::Mat photo_like(int side, cv::RNG& random) {
  cv::Mat sum(side, side, CV_32FC3, cv::Scalar::all(0));
  float amplitude = 0.5F;
  for (int cells = 4; cells <= side / 4; cells *= 4) {
    cv::Mat coarse(cells, cells, CV_32FC3);
    random.fill(coarse, cv::RNG::UNIFORM, 0.0, 1.0);
    cv::Mat smooth;
    cv::resize(coarse, smooth, sum.size(), 0, 0, cv::INTER_CUBIC);
    sum += amplitude * smooth;
    amplitude *= 0.5F;
  }
  cv::Mat grain(side, side, CV_32FC3);
  random.fill(grain, cv::RNG::UNIFORM, 0.0, 0.02);
  cv::Mat rgb;
  cv::Mat(sum + grain).convertTo(rgb, CV_8U, 200.0, 20.0);
  return rgb;
}

/// `options` selects photo, noise, posterized (the photo with 8 levels per channel) or constant.
Scene painted_scene(const Options& options) {
  cv::RNG random(20261120);
  Scene scene;
  scene.rgb = photo_like(options.side, random);
  if (options.data == "noise") {
    random.fill(scene.rgb, cv::RNG::UNIFORM, 0, 256);
  } else if (options.data == "posterized") {
    cv::bitwise_and(scene.rgb, cv::Scalar::all(0xE0), scene.rgb);
  } else if (options.data == "constant") {
    scene.rgb.setTo(cv::Scalar(90, 120, 60));
  }
  cv::cvtColor(scene.rgb, scene.gray, cv::COLOR_RGB2GRAY);
  return scene;
}

ConstView view_of(const cv::Mat& mat) {
  return {reinterpret_cast<const std::byte*>(mat.data), mat.cols, mat.rows, mat.step[0],
          PixelFormat{Sample::u8, mat.channels()}};
}

cv::Mat histogram_of(const cv::Mat& gray) {
  const int channel = 0;
  const int bins = 256;
  const float range[] = {0.0F, 256.0F};
  const float* ranges[] = {range};
  cv::Mat counts;
  cv::calcHist(&gray, 1, &channel, cv::noArray(), counts, 1, &bins, ranges);
  return counts;
}

/// Destinations for OpenCV's results. They are either kept between calls, or emptied before each call.
struct Targets {
  cv::Mat out;
  cv::Mat between;
  cv::Mat plane;
  void clear() { *this = {}; }
};

void equalize_ycrcb(const cv::Mat& rgb, Targets& to) {
  cv::cvtColor(rgb, to.between, cv::COLOR_RGB2YCrCb);
  cv::extractChannel(to.between, to.plane, 0);
  cv::equalizeHist(to.plane, to.plane);
  cv::insertChannel(to.plane, to.between, 0);
  cv::cvtColor(to.between, to.out, cv::COLOR_YCrCb2RGB);
}

void hls_float(const cv::Mat& rgb, Targets& to) {
  rgb.convertTo(to.between, CV_32F, 1.0 / 255.0);
  cv::cvtColor(to.between, to.out, cv::COLOR_RGB2HLS);
}

constexpr int kWindow = 31;

void blur(const cv::Mat& gray, Targets& to) { cv::blur(gray, to.out, {kWindow, kWindow}); }
void adaptive_mean(const cv::Mat& gray, Targets& to) {
  cv::adaptiveThreshold(gray, to.out, 255, cv::ADAPTIVE_THRESH_MEAN_C, cv::THRESH_BINARY, kWindow, 0);
}
void otsu(const cv::Mat& gray, Targets& to) {
  cv::threshold(gray, to.out, 0, 255, cv::THRESH_BINARY | cv::THRESH_OTSU);
}

/// The deviation in float64, as OpenCV users compute it: √(mean of squares − square of mean).
void deviation(const cv::Mat& gray, Targets& to) {
  cv::boxFilter(gray, to.between, CV_64F, {kWindow, kWindow});
  cv::sqrBoxFilter(gray, to.plane, CV_64F, {kWindow, kWindow});
  cv::sqrt(to.plane - to.between.mul(to.between), to.out);
}

WindowOptions mean_31() {
  WindowOptions options;
  options.size = kWindow;
  return options;
}
WindowOptions deviation_31() {
  WindowOptions options = mean_31();
  options.statistic = WindowStatistic::deviation;
  return options;
}
ThresholdOptions threshold_31() {
  ThresholdOptions options;
  options.method = ThresholdMethod::mean;
  options.window = kWindow;
  return options;
}

struct Duel {
  std::string name;
  double target;  ///< required speed-up; 0 = none
  std::function<void(Backend&)> ours;
  std::function<void(Targets&)> theirs;
};

/// Pictures of the scene in the backend's memory.
struct Inputs {
  Picture gray;
  Picture rgb;
};

std::vector<Duel> duels(const Scene& scene, const Inputs& in) {
  EqualizeOptions ycbcr;
  ycbcr.color = EqualizeColor::ycbcr;
  IntegralOptions sums;
  sums.type = Sample::u32;
  sums.allow_wrap = true;
  const auto hist = [&](const Picture& picture) { return [&](Backend& b) { b.histogram(picture, {}); }; };
  const auto equalize = [](const Picture& picture, const EqualizeOptions& options) {
    return [&picture, options](Backend& b) { b.equalize(picture, options); };
  };
  const auto hsl = [&](HslEncoding encoding) { return [&in, encoding](Backend& b) { b.to_hsl(in.rgb, encoding); }; };
  const auto apply = [&in](const PictureOperation& operation) {
    return [&in, operation](Backend& b) { b.apply(in.gray, operation); };
  };
  const auto gray_hist = [&](Targets&) { histogram_of(scene.gray); };
  const auto luma_hist = [&](Targets& to) {
    cv::cvtColor(scene.rgb, to.out, cv::COLOR_RGB2GRAY);
    histogram_of(to.out);
  };
  const auto ycrcb = [&](Targets& to) { equalize_ycrcb(scene.rgb, to); };
  return {
      {"hist gray / calcHist", 3.0, hist(in.gray), gray_hist},
      {"hist luma rgb / cvtColor + calcHist", 3.0, hist(in.rgb), luma_hist},
      {"equalize gray / equalizeHist", 3.0, equalize(in.gray, {}),
       [&](Targets& to) { cv::equalizeHist(scene.gray, to.out); }},
      {"equalize luma / YCrCb equalizeHist", 2.5, equalize(in.rgb, {}), ycrcb},
      {"equalize ycbcr / YCrCb equalizeHist", 2.5, equalize(in.rgb, ycbcr), ycrcb},
      {"integral u32 / integral s32", 1.0, [&in, sums](Backend& b) { b.integral(in.gray, sums); },
       [&](Targets& to) { cv::integral(scene.gray, to.out, CV_32S); }},
      {"mean 31 / blur", 1.0, apply(mean_31()), [&](Targets& to) { blur(scene.gray, to); }},
      {"threshold mean 31 / adaptiveThreshold", 2.0, apply(threshold_31()),
       [&](Targets& to) { adaptive_mean(scene.gray, to); }},
      {"threshold otsu / threshold", 0.0, apply(ThresholdOptions()), [&](Targets& to) { otsu(scene.gray, to); }},
      {"deviation 31 / two blurs", 0.0, apply(deviation_31()), [&](Targets& to) { deviation(scene.gray, to); }},
      {"hsl u16 / RGB2HLS 8 bit", 2.0, hsl(HslEncoding::u16),
       [&](Targets& to) { cv::cvtColor(scene.rgb, to.out, cv::COLOR_RGB2HLS); }},
      {"hsl f32 / convertTo + RGB2HLS f32", 0.0, hsl(HslEncoding::f32), [&](Targets& to) { hls_float(scene.rgb, to); }},
  };
}

bool equal_bytes(const Image& image, const cv::Mat& mat) {
  return mat.isContinuous() && image.size_bytes() == mat.total() * mat.elemSize() &&
         std::memcmp(image.view().data, mat.data, image.size_bytes()) == 0;
}

bool equal_counts(const Histogram& histogram, const cv::Mat& counts) {
  for (int bin = 0; bin < 256; ++bin) {
    if (static_cast<double>(histogram.channels[0].counts[static_cast<std::size_t>(bin)]) !=
        static_cast<double>(counts.at<float>(bin))) {
      return false;
    }
  }
  return true;
}

/// The largest difference in hue, in degrees. `ours` and `theirs` hold float32 triples; OpenCV's order is H, L, S.
double hue_distance(const Image& ours, const cv::Mat& theirs) {
  const auto* values = reinterpret_cast<const float*>(ours.view().data);
  const auto* others = reinterpret_cast<const float*>(theirs.data);
  double largest = 0.0;
  for (std::size_t i = 0; i < 3 * theirs.total(); i += 3) {
    const double turn = std::fabs(static_cast<double>(values[i]) - static_cast<double>(others[i]));
    largest = std::max(largest, std::min(turn, std::fabs(360.0 - turn)));
  }
  return largest;
}

/// Checks the operations that follow OpenCV's arithmetic against OpenCV. Returns an empty string if all agree.
std::string differences_from_opencv(const Scene& scene, const Inputs& in, Backend& b) {
  std::string differences;
  const auto expect = [&](const char* name, bool equal) { differences += equal ? "" : std::string(" ") + name; };
  Targets to;
  cv::Mat gray;
  cv::cvtColor(scene.rgb, gray, cv::COLOR_RGB2GRAY);
  HistogramOptions opencv_luma;
  opencv_luma.luma = Luma::opencv;
  expect("hist-gray", equal_counts(b.histogram(in.gray, {}), histogram_of(scene.gray)));
  expect("hist-luma", equal_counts(b.histogram(in.rgb, opencv_luma), histogram_of(gray)));
  cv::equalizeHist(scene.gray, to.out);
  expect("equalize-gray", equal_bytes(b.download(b.equalize(in.gray, {})), to.out));
  EqualizeOptions ycbcr;
  ycbcr.color = EqualizeColor::ycbcr;
  equalize_ycrcb(scene.rgb, to);
  expect("equalize-ycbcr", equal_bytes(b.download(b.equalize(in.rgb, ycbcr)), to.out));
  IntegralOptions sums;
  sums.type = Sample::u32;
  sums.allow_wrap = true;
  cv::integral(scene.gray, to.out, CV_32S);
  expect("integral", equal_bytes(b.download(b.integral(in.gray, sums)), to.out));
  blur(scene.gray, to);
  expect("mean", equal_bytes(b.download(b.apply(in.gray, mean_31())), to.out));
  adaptive_mean(scene.gray, to);
  expect("threshold-mean", equal_bytes(b.download(b.apply(in.gray, threshold_31())), to.out));
  otsu(scene.gray, to);
  expect("threshold-otsu", equal_bytes(b.download(b.apply(in.gray, ThresholdOptions())), to.out));
  cv::cvtColor(scene.rgb, to.out, cv::COLOR_RGB2HLS);
  expect("hsl-8-bit", equal_bytes(b.download(b.to_hsl(in.rgb, HslEncoding::opencv)), to.out));
  hls_float(scene.rgb, to);
  constexpr double kFloatError = 1.0e-3;
  expect("hsl-float", hue_distance(b.download(b.to_hsl(in.rgb, HslEncoding::f32)), to.out) < kFloatError);
  return differences;
}

double elapsed_ms(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

double minimum(const std::vector<double>& times) { return *std::min_element(times.begin(), times.end()); }

/// Times gpuimg's and OpenCV's operation alternately, so that disturbances affect both. The ratio is the median over
/// all rounds. Both write to memory that they have already written to, except in the column "new", where OpenCV writes
/// to new memory.
void run_duel(const Duel& duel, Backend& backend, int repeats) {
  std::vector<double> ours;
  std::vector<double> reused;
  std::vector<double> fresh;
  std::vector<double> ratios;
  Targets kept;
  for (int i = 0; i <= repeats; ++i) {
    const double our_ms = elapsed_ms([&] { duel.ours(backend); });
    const double reused_ms = elapsed_ms([&] { duel.theirs(kept); });
    Targets renewed;
    const double fresh_ms = elapsed_ms([&] { duel.theirs(renewed); });
    if (i > 0) {  // the first round is a warm-up
      ours.push_back(our_ms);
      reused.push_back(reused_ms);
      fresh.push_back(fresh_ms);
      ratios.push_back(reused_ms / our_ms);
    }
  }
  const double ratio = median(ratios);
  fmt::print("{:<36} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f} {:>7.2f} {:>9.2f}  {}\n", duel.name, median(ours),
             minimum(ours), median(reused), minimum(reused), ratio, median(fresh),
             duel.target == 0.0 ? "" : fmt::format(">={:.1f} {}", duel.target, ratio >= duel.target ? "pass" : "MISS"));
}

int bench(const Options& options) {
  const Scene scene = painted_scene(options);
  bool all_equal = true;
  fmt::print("OpenCV {}, {}x{}, {}; medians and minima of {} alternating runs; new: OpenCV writes to new memory\n",
             CV_VERSION, options.side, options.side, options.data, options.repeats);
  for (const int threads : options.threads) {
    cv::setNumThreads(threads);
    const auto backend = make_cpu_backend(threads);
    const Inputs in{backend->upload(view_of(scene.gray)), backend->upload(view_of(scene.rgb))};
    const std::string differences = differences_from_opencv(scene, in, *backend);
    all_equal = all_equal && differences.empty();
    fmt::print("\n{} thread(s); results {}\n{:<36} {:>8} {:>8} {:>8} {:>8} {:>7} {:>9}  {}\n", threads,
               differences.empty() ? "agree" : "DIFFER:" + differences, "ms", "gpuimg", "min", "OpenCV", "min", "ratio",
               "new", "target");
    for (const Duel& duel : duels(scene, in)) {
      run_duel(duel, *backend, options.repeats);
    }
  }
  return all_equal ? 0 : 1;
}

}  // namespace
}  // namespace gpuimg::bench

int main(int argc, char** argv) {
  CLI::App app("Times gpuimg's CPU operations against OpenCV");
  gpuimg::bench::Options options;
  app.add_option("--side", options.side, "pixels along each side")->check(CLI::Range(16, 16384));
  app.add_option("--data", options.data, "image content")
      ->check(CLI::IsMember({"photo", "noise", "posterized", "constant"}));
  app.add_option("--repeats", options.repeats, "timings per median")->check(CLI::Range(1, 1000));
  app.add_option("--threads", options.threads, "thread counts to test");
  CLI11_PARSE(app, argc, argv);
  try {
    return gpuimg::bench::bench(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpuimg_cpu_bench: {}\n", error.what());
    return 1;
  }
}
