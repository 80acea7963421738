// Runs every operation with every option on one image, on two backends.
#include "support/batteries.hpp"

#include <algorithm>

#include "operations/operations.hpp"
#include "ops/resize.hpp"

namespace gpuimg::test {
namespace {

constexpr Luma kLumas[] = {Luma::bt601, Luma::bt601_trunc, Luma::opencv, Luma::bt709};
constexpr HslEncoding kEncodings[] = {HslEncoding::f32, HslEncoding::u16, HslEncoding::opencv,
                                      HslEncoding::opencv_full};

LevelTables random_tables(Random& random, PixelFormat format, std::size_t count) {
  LevelTables tables;
  for (std::size_t t = 0; t < count; ++t) {
    auto& map = tables.maps.emplace_back(format.max_value() + std::size_t{1});
    for (auto& level : map) {
      level = static_cast<std::uint16_t>(random.below(format.max_value() + 1));
    }
  }
  return tables;
}

StretchRange random_range(Random& random) {
  const std::uint32_t low = random.below(kHundredPercent);
  return {low, low + 1 + random.below(kHundredPercent - low)};
}

/// The new size is at most slightly more than twice the old one. Sometimes selects a part of the image, and sometimes
/// a color for padding.
ResizeOptions random_resize(Random& random, const Picture& picture, ResizeFilter filter, ResizeFit fit) {
  ResizeOptions options;
  options.width = random.between(1, 2 * picture.width() + 3);
  options.height = random.between(1, 2 * picture.height() + 3);
  options.fit = fit;
  options.enlarges = random.below(2) == 0;
  options.filter = filter;
  if (random.below(3) == 0) {
    const double x = picture.width() * static_cast<double>(random.below(90)) / 100.0;
    const double y = picture.height() * static_cast<double>(random.below(90)) / 100.0;
    options.box = ResizeBox{x, y, (picture.width() - x) * 0.7, (picture.height() - y) * 0.9};
  }
  if (random.below(2) == 0) {
    options.pad_color = {{10, 200, 30}};
  }
  return options;
}

std::string text_of(const ResizeOptions& options) {
  return "resize to " + std::to_string(options.width.value_or(0)) + "x" + std::to_string(options.height.value_or(0)) +
         ", fit " + std::to_string(static_cast<int>(options.fit)) + ", filter " +
         std::to_string(static_cast<int>(options.filter)) + (options.enlarges ? ", enlarging" : "") +
         (options.box ? ", of a box" : "");
}

}  // namespace

Pair::Pair(Backend& tested, Backend& reference, const Image& image)
    : tested_backend_(tested),
      reference_backend_(reference),
      tested_(tested.upload(image.view())),
      reference_(reference.upload(image.view())) {}

void Pair::expect_same(const Picture& tested, const Picture& reference) const {
  const Image a = tested_backend_.download(tested);
  const Image b = reference_backend_.download(reference);
  EXPECT_TRUE(same_pixels(a.view(), b.view()));
}

void Pair::trials() const {
  for (const Trial& trial : trials_on(tested_backend_.kind(), tested_.format())) {
    EXPECT_EQ(difference(trial, tested_backend_, tested_, reference_backend_, reference_), "") << trial.name;
  }
}

Pair::Selected Pair::random_selection(Random& random) const {
  Selected selected;
  selected.count_transparent = random.below(2) == 0;
  if (random.below(2) == 0) {
    Rect r;
    r.x = random.between(0, tested_.width() - 1);
    r.y = random.between(0, tested_.height() - 1);
    r.width = random.between(1, tested_.width() - r.x);
    r.height = random.between(1, tested_.height() - r.y);
    selected.region = r;
  }
  if (random.below(2) == 0) {
    const Image mask = random_mask(random, tested_.width(), tested_.height());
    selected.tested_mask = tested_backend_.upload(mask.view());
    selected.reference_mask = reference_backend_.upload(mask.view());
  }
  return selected;
}

void Pair::histogram(const HistogramOptions& options) const { histogram(options, Selected{}); }

void Pair::histogram(const HistogramOptions& options, const Selected& selected) const {
  HistogramOptions ours = options;
  HistogramOptions theirs = options;
  ours.selection = selected.tested();
  theirs.selection = selected.reference();
  const Histogram a = tested_backend_.histogram(tested_, ours);
  const Histogram b = reference_backend_.histogram(reference_, theirs);
  EXPECT_EQ(a.counted, b.counted);
  ASSERT_EQ(a.channels.size(), b.channels.size());
  for (std::size_t c = 0; c < a.channels.size(); ++c) {
    EXPECT_EQ(a.channels[c].channel, b.channels[c].channel);
    EXPECT_TRUE(a.channels[c].counts == b.channels[c].counts)
        << "counts of channel " << c << ", luma " << static_cast<int>(options.luma);
  }
}

void Pair::histograms(Random& random) const {
  for (int turn = 0; turn < 3; ++turn) {
    const Selected selected = turn == 0 ? Selected{} : random_selection(random);
    HistogramOptions options;
    for (const Luma luma : kLumas) {
      options.luma = luma;
      options.channels = {Channel::luma};
      histogram(options, selected);
    }
    options.channels = {Channel::red, Channel::green, Channel::blue};
    histogram(options, selected);
    options.channels = {Channel::blue, Channel::luma, Channel::red, Channel::green, Channel::blue, Channel::green};
    if (tested_.format().has_alpha()) {
      options.channels.push_back(Channel::alpha);
    }
    histogram(options, selected);
    options.channels = {Channel::hue, Channel::saturation, Channel::lightness};
    for (const int bins : {2, 256, 257, 65536, random.between(2, 65536)}) {
      options.hsl_bins = bins;
      histogram(options, selected);
    }
  }
}

void Pair::equalization(const EqualizeOptions& options) const { equalization(options, Selected{}); }

void Pair::equalization(const EqualizeOptions& options, const Selected& selected) const {
  SCOPED_TRACE("equalize: formula " + std::to_string(static_cast<int>(options.formula.kind)) + ", color " +
               std::to_string(static_cast<int>(options.color)) + ", luma " +
               std::to_string(static_cast<int>(options.luma)) + ", strength " + std::to_string(options.strength));
  EqualizeOptions ours = options;
  EqualizeOptions theirs = options;
  ours.selection = selected.tested();
  theirs.selection = selected.reference();
  LevelTables our_tables;
  LevelTables their_tables;
  const Picture a = tested_backend_.equalize(tested_, ours, &our_tables);
  const Picture b = reference_backend_.equalize(reference_, theirs, &their_tables);
  EXPECT_TRUE(our_tables.maps == their_tables.maps) << "the tables differ";
  expect_same(a, b);
}

void Pair::equalizations(Random& random) const {
  for (const auto color :
       {EqualizeColor::luma, EqualizeColor::rgb, EqualizeColor::joint, EqualizeColor::ycbcr, EqualizeColor::hsl}) {
    EqualizeOptions options;
    options.color = color;
    for (const auto formula :
         {EqualizeFormula::opencv, EqualizeFormula::cdf, EqualizeFormula::pillow, EqualizeFormula::stretch}) {
      options.formula = {formula, random_range(random)};
      options.luma = kLumas[random.below(4)];
      equalization(options);
    }
    options.luma = kLumas[random.below(4)];
    options.strength = 1.0;
    equalization(options, random_selection(random));
    options.strength = random.below(1001) / 1000.0;
    equalization(options, random_selection(random));
    const bool by_channel = color == EqualizeColor::rgb && tested_.format().color_channels() == 3;
    const LevelTables tables = random_tables(random, tested_.format(), by_channel ? 3 : 1);
    options.tables = &tables;
    equalization(options, random_selection(random));
    options.strength = 1.0;
    equalization(options);
  }
}

void Pair::clahe(const ClaheOptions& options) const { clahe(options, Selected{}); }

void Pair::clahe(const ClaheOptions& options, const Selected& selected) const {
  SCOPED_TRACE("CLAHE: color " + std::to_string(static_cast<int>(options.color)) + ", " +
               std::to_string(options.tiles_x) + "x" + std::to_string(options.tiles_y) + " tiles, clip " +
               std::to_string(options.clip) + ", strength " + std::to_string(options.strength));
  ClaheOptions ours = options;
  ClaheOptions theirs = options;
  ours.selection = selected.tested();
  theirs.selection = selected.reference();
  expect_same(tested_backend_.apply(tested_, ours), reference_backend_.apply(reference_, theirs));
}

void Pair::clahe(Random& random) const {
  const int most_tiles = tested_.format().sample == Sample::u8 ? kMaxTiles : 9;  // 16-bit tables are large
  for (const auto color : {EqualizeColor::luma, EqualizeColor::rgb, EqualizeColor::ycbcr, EqualizeColor::hsl}) {
    ClaheOptions options;
    options.color = color;
    for (int turn = 0; turn < 2; ++turn) {
      options.luma = kLumas[random.below(4)];
      options.tiles_x = random.between(1, most_tiles);
      options.tiles_y = random.between(1, most_tiles);
      options.clip = random.below(4) == 0 ? 0.0 : random.below(400) / 10.0;
      options.full_bins = random.below(2) == 0;
      clahe(options);
      clahe(options, random_selection(random));
      options.strength = random.below(1001) / 1000.0;
    }
  }
}

void Pair::matches(Random& random) const {
  for (const auto color :
       {EqualizeColor::luma, EqualizeColor::rgb, EqualizeColor::joint, EqualizeColor::ycbcr, EqualizeColor::hsl}) {
    const std::size_t tables = color == EqualizeColor::rgb && tested_.format().color_channels() == 3 ? 3 : 1;
    LevelCounts wanted(tables, std::vector<std::uint64_t>(tested_.format().max_value() + std::size_t{1}));
    for (auto& counts : wanted) {
      for (std::uint32_t i = 1 + random.below(300); i > 0; --i) {
        counts[random.below(tested_.format().max_value() + 1)] += 1 + random.below(1000000);
      }
    }
    EqualizeOptions options;
    options.color = color;
    options.luma = kLumas[random.below(4)];
    options.match = &wanted;
    equalization(options);
    options.strength = random.below(1001) / 1000.0;
    equalization(options, random_selection(random));
  }
}

void Pair::integral(const IntegralOptions& options) const {
  SCOPED_TRACE("integral: type " + std::to_string(options.type ? static_cast<int>(*options.type) : -1) + ", layout " +
               std::to_string(static_cast<int>(options.layout)) + ", square " + std::to_string(options.square));
  expect_same(tested_backend_.integral(tested_, options), reference_backend_.integral(reference_, options));
}

void Pair::integrals(Random& random) const {
  IntegralOptions options;
  options.allow_wrap = true;
  for (const auto layout : {TableLayout::padded, TableLayout::inclusive}) {
    options.layout = layout;
    for (const bool square : {false, true}) {
      options.square = square;
      options.channel = Channel::luma;
      options.luma = kLumas[random.below(4)];
      for (const auto type : {Sample::u32, Sample::u64, Sample::f32, Sample::f64}) {
        options.type = type;
        integral(options);
      }
      options.type.reset();
      options.channel = tested_.format().has_alpha() ? Channel::alpha : Channel::blue;
      integral(options);
    }
  }
}

void Pair::to_hsl(HslEncoding encoding) const {
  SCOPED_TRACE("to_hsl: encoding " + std::to_string(static_cast<int>(encoding)));
  expect_same(tested_backend_.to_hsl(tested_, encoding), reference_backend_.to_hsl(reference_, encoding));
}

void Pair::from_hsl(HslEncoding encoding, Sample sample) const {
  SCOPED_TRACE("from_hsl: encoding " + std::to_string(static_cast<int>(encoding)));
  const Picture theirs = reference_backend_.to_hsl(reference_, encoding);
  const Image stored = reference_backend_.download(theirs);
  const Picture ours = tested_backend_.upload(stored.view());
  expect_same(tested_backend_.from_hsl(ours, encoding, sample), reference_backend_.from_hsl(theirs, encoding, sample));
}

void Pair::adjustment(const HslAdjustment& by) const {
  SCOPED_TRACE("adjust: hue " + std::to_string(by.hue_degrees) + ", saturation " + std::to_string(by.saturation) +
               ", lightness " + std::to_string(by.lightness));
  expect_same(tested_backend_.adjust_hsl(tested_, by), reference_backend_.adjust_hsl(reference_, by));
}

void Pair::hsl(Random& random) const {
  for (const HslEncoding encoding : kEncodings) {
    to_hsl(encoding);
    from_hsl(encoding, Sample::u8);
    from_hsl(encoding, Sample::u16);
  }
  adjustment({});
  for (int turn = 0; turn < 3; ++turn) {
    HslAdjustment by;
    by.hue_degrees = static_cast<float>(random.between(-35999, 35999)) / 100.0F;
    by.saturation = static_cast<float>(random.below(300)) / 100.0F;
    by.lightness = static_cast<float>(random.below(300)) / 100.0F;
    adjustment(by);
  }
}

void Pair::operation(const PictureOperation& options) const {
  expect_same(tested_backend_.apply(tested_, options), reference_backend_.apply(reference_, options));
}

void Pair::selected_threshold(const ThresholdOptions& options, const Selected& selected) const {
  ThresholdOptions ours = options;
  ThresholdOptions theirs = options;
  ours.selection = selected.tested();
  theirs.selection = selected.reference();
  ClassLevels our_levels{};
  ClassLevels their_levels{};
  ours.used_levels = &our_levels;
  theirs.used_levels = &their_levels;
  expect_same(tested_backend_.apply(tested_, ours), reference_backend_.apply(reference_, theirs));
  EXPECT_EQ(our_levels, their_levels);
  if (options.method == ThresholdMethod::wolf) {
    const int first = tested_.height() / 3;
    EXPECT_EQ(tested_backend_.wolf_scale(tested_, ours, first, tested_.height()),
              reference_backend_.wolf_scale(reference_, theirs, first, tested_.height()));
  }
}

void Pair::windows(Random& random) const {
  const int largest = std::max(tested_.width(), tested_.height());
  for (const int limit : {32, 128, 3000}) {  // computed with three products, with four products, and with tables
    for (const Border border : {Border::reflect101, Border::replicate, Border::cut}) {
      WindowOptions window;
      const auto side = [&] { return 2 * random.between(0, std::min(largest, limit) - 1) + 1; };
      window.size = side();
      window.size.height = random.below(3) == 0 ? side() : window.size.width;
      window.border = border;
      window.luma = kLumas[random.below(4)];
      window.channel = tested_.format().has_alpha() && random.below(2) == 0 ? Channel::alpha : Channel::luma;
      window.count_transparent = random.below(2) == 0;
      SCOPED_TRACE("window of " + std::to_string(window.size.width) + "x" + std::to_string(window.size.height) +
                   ", border " + std::to_string(static_cast<int>(border)));
      for (const auto statistic :
           {WindowStatistic::mean, WindowStatistic::variance, WindowStatistic::deviation, WindowStatistic::flat}) {
        window.statistic = statistic;
        operation(window);
      }
    }
    for (const auto method :
         {ThresholdMethod::otsu, ThresholdMethod::mean, ThresholdMethod::bradley, ThresholdMethod::niblack,
          ThresholdMethod::sauvola, ThresholdMethod::wolf, ThresholdMethod::nick}) {
      ThresholdOptions threshold;
      threshold.method = method;
      threshold.luma = kLumas[random.below(4)];
      const auto side = [&] { return 2 * random.between(0, std::min(largest, limit) - 1) + 1; };
      threshold.window = WindowSize(side());
      threshold.window->height = random.below(3) == 0 ? side() : threshold.window->width;
      threshold.invert = random.below(3) == 0;
      threshold.classes = method == ThresholdMethod::otsu ? 2 + static_cast<int>(random.below(6)) : 2;
      threshold.offset = random.between(-40, 40) / 4.0;
      threshold.sensitivity = random.between(0, 100);
      threshold.k = random.between(-50, 50) / 100.0;
      threshold.selection.count_transparent = random.below(2) == 0;
      SCOPED_TRACE("threshold by method " + std::to_string(static_cast<int>(method)) + ", window of " +
                   std::to_string(threshold.window->width) + "x" + std::to_string(threshold.window->height));
      operation(threshold);
      selected_threshold(threshold, random_selection(random));
    }
  }
}

void Pair::denoising(Random& random) const {
  for (const int patch : {1, 3, 5, 7, 9}) {
    DenoiseOptions options;
    options.patch = patch;
    options.search = 2 * random.between(0, 3) + 1;
    options.count_transparent = random.below(3) == 0;
    const float most =
        tested_.format().sample == Sample::u8 ? 90.0F : 20000.0F;  // sometimes too large for a table in shared memory
    options.strength = most * (static_cast<float>(random.below(1000)) + 1.0F) / 1000.0F;
    SCOPED_TRACE("denoise: patch " + std::to_string(patch) + ", search " + std::to_string(options.search) +
                 ", strength " + std::to_string(*options.strength));
    operation(options);
  }
}

void Pair::geometry(Random& random, int resizes) const {
  const auto other_fit = static_cast<int>(random.below(4));
  for (int turn = 0; turn < resizes; ++turn) {
    const auto fit = static_cast<ResizeFit>((turn + turn / 6 + other_fit) % 4);
    const ResizeOptions resize = random_resize(random, tested_, static_cast<ResizeFilter>(turn % 6), fit);
    SCOPED_TRACE(text_of(resize));
    operation(resize);
    if (random.below(2) == 0) {
      strip(resize, random);
    }
  }
  CropOptions crop;
  crop.width = random.between(1, tested_.width());
  crop.height = random.between(1, tested_.height());
  crop.gravity = static_cast<Gravity>(random.below(9));
  operation(crop);
  for (const Turn turn :
       {Turn::rotate90, Turn::rotate180, Turn::rotate270, Turn::flip_horizontal, Turn::flip_vertical}) {
    operation(TurnOptions{turn});
  }
}

void Pair::strip(ResizeOptions options, Random& random) const {
  const ResizePlan plan = resize_plan(reference_, options);
  ResizeStrip strip{reference_.height()};
  strip.begin = random.between(0, plan.height - 1);
  strip.end = random.between(strip.begin + 1, plan.height);
  const RowRange rows = rows_for(plan, reference_.height(), options, strip.begin, strip.end);
  strip.first_row = rows.begin;
  SCOPED_TRACE("rows " + std::to_string(strip.begin) + " to " + std::to_string(strip.end));
  const Image image = reference_backend_.download(reference_);
  ConstView part = image.view();
  part.data = part.row_bytes(rows.begin);
  part.height = rows.end - rows.begin;
  options.strip = strip;
  expect_same(tested_backend_.apply(tested_backend_.upload(part), options),
              reference_backend_.apply(reference_backend_.upload(part), options));
}

void translucent_resizes(Backend& tested, Backend& reference) {
  for (const PixelFormat format : photographic_formats()) {
    if (!format.has_alpha()) {
      continue;
    }
    const Pair pair(tested, reference, levels_by_alphas(format));
    for (const auto& [width, height] :
         {std::pair{512, 256}, {256, 512}, {512, 512}, {100, 256}, {256, 100}, {77, 77}}) {
      for (const ResizeFilter filter : {ResizeFilter::box, ResizeFilter::bicubic}) {
        ResizeOptions resize;
        resize.width = width;
        resize.height = height;
        resize.fit = ResizeFit::stretch;
        resize.filter = filter;
        SCOPED_TRACE(name_of(format) + ": " + text_of(resize));
        pair.operation(resize);
      }
    }
  }
}

}  // namespace gpuimg::test
