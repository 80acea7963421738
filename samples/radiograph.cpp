// A radiograph of a hand. The detector uses an eighth of its 16-bit range (radiograph.png).
#include <array>
#include <cmath>

#include "canvas.hpp"
#include "scenes.hpp"

namespace gpuimg::samples {
namespace {

struct Point {
  double x, y;
};

/// Distance from p to the segment a–b, divided by a radius that changes from ra to rb along the segment. So it is 1 on
/// the surface of the limb.
double reach(Point p, Point a, Point b, double ra, double rb) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double t = clamped(((p.x - a.x) * dx + (p.y - a.y) * dy) / (dx * dx + dy * dy));
  const double ex = p.x - a.x - t * dx;
  const double ey = p.y - a.y - t * dy;
  return std::sqrt(ex * ex + ey * ey) / mix(ra, rb, t);
}

/// Relative length of a ray's path through a round limb: 0 outside, 1 through the middle.
double limb(double distance) { return distance >= 1.0 ? 0.0 : std::sqrt(1.0 - distance * distance); }

struct Finger {
  std::array<Point, 5> joints;  // wrist, knuckle, two joints, tip; four bones
  double radius;                // of the soft tissue
};

constexpr std::array<Finger, 5> kHand{{
    {{{{0.34, 0.93}, {0.27, 0.62}, {0.22, 0.42}, {0.20, 0.30}, {0.19, 0.22}}}, 0.042},
    {{{{0.38, 0.92}, {0.37, 0.58}, {0.35, 0.35}, {0.34, 0.20}, {0.335, 0.11}}}, 0.046},
    {{{{0.42, 0.92}, {0.46, 0.57}, {0.47, 0.33}, {0.48, 0.17}, {0.485, 0.08}}}, 0.047},
    {{{{0.46, 0.93}, {0.54, 0.60}, {0.58, 0.39}, {0.605, 0.25}, {0.62, 0.16}}}, 0.045},
    {{{{0.46, 0.98}, {0.62, 0.78}, {0.70, 0.64}, {0.745, 0.57}, {0.78, 0.51}}}, 0.050},
}};

/// A bone: a shaft with thicker ends and a dense rim.
double bone(Point p, Point a, Point b, double radius) {
  const Point from{mix(a.x, b.x, 0.06), mix(a.y, b.y, 0.06)};
  const Point to{mix(a.x, b.x, 0.94), mix(a.y, b.y, 0.94)};
  const double shaft = reach(p, from, to, radius * 0.72, radius * 0.60);
  const double ends = std::fmin(reach(p, from, {from.x + 1e-4, from.y}, radius, radius),
                                reach(p, to, {to.x + 1e-4, to.y}, radius * 0.85, radius * 0.85));
  const double distance = std::fmin(shaft, ends);
  return limb(distance) * 0.55 + (distance < 1.0 ? 0.55 * smooth_step(0.45, 0.95, distance) : 0.0);
}

double exposure(double px, double py) {
  const Point p{px / 320.0 + 0.02, py / 320.0};
  double flesh = limb(reach(p, {0.42, 0.82}, {0.41, 0.66}, 0.185, 0.165));
  flesh = std::fmax(flesh, limb(reach(p, {0.42, 1.10}, {0.42, 0.88}, 0.13, 0.13)));
  double dense = 0.0;
  for (const Finger& finger : kHand) {
    for (std::size_t i = 0; i + 1 < finger.joints.size(); ++i) {
      const double radius = finger.radius * (1.0 - 0.08 * static_cast<double>(i));
      flesh = std::fmax(flesh, 0.8 * limb(reach(p, finger.joints[i], finger.joints[i + 1], radius, radius * 0.92)));
      dense = std::fmax(dense, bone(p, finger.joints[i], finger.joints[i + 1], 0.45 * radius));
    }
  }
  dense = std::fmax(dense, bone(p, {0.38, 1.25}, {0.38, 0.97}, 0.05));
  dense = std::fmax(dense, bone(p, {0.47, 1.25}, {0.47, 0.98}, 0.04));
  const double texture = fractal_noise(p.x * 60.0, p.y * 60.0, 3, 31) - 0.5;
  const double field = 1.0 - 0.25 * ((p.x - 0.4) * (p.x - 0.4) + (p.y - 0.5) * (p.y - 0.5));
  return field * (0.035 + 0.30 * flesh + dense * (0.55 + 0.12 * texture)) +
         0.008 * fractal_noise(p.x * 7.0, p.y * 7.0, 7, 37);
}

}  // namespace

Image radiograph() {
  return painted_gray<std::uint16_t>(256, 320, [](double x, double y) { return 0.02 + 0.125 * exposure(x, y); });
}

}  // namespace gpuimg::samples
