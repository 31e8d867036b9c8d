#include <taut/bytes/carry_list.hpp>
#include <taut/store/thinned.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace taut {

Thinning::Bucket Thinning::bucket_of(const Point& p) {
  Bucket bucket{p, p, p, p, p, p, 1, {}};
  if (!std::isfinite(p.x) || !std::isfinite(p.y)) bucket.broken.push_back(p);
  return bucket;
}

void Thinning::join(Bucket& a, const Bucket& b) {
  // A comparison with NaN is false; a finite value must then win.
  const auto pick = [](Point& mine, const Point& theirs, double Point::* axis, int sign) {
    if (!std::isfinite(mine.*axis) || sign * (theirs.*axis) > sign * (mine.*axis)) mine = theirs;
  };
  pick(a.least_x, b.least_x, &Point::x, -1);
  pick(a.most_x, b.most_x, &Point::x, 1);
  pick(a.least_y, b.least_y, &Point::y, -1);
  pick(a.most_y, b.most_y, &Point::y, 1);
  a.last = b.last;
  a.size += b.size;
  if (a.broken.empty()) a.broken = b.broken;
}

void Thinning::add(double x, double y) {
  const Bucket fresh = bucket_of({count_++, x, y});
  if (!kept_.empty() && kept_.back().size < width_) {
    join(kept_.back(), fresh);
    return;
  }
  if (kept_.size() == 2 * buckets_) {
    for (std::size_t i = 0; i < buckets_; ++i) {
      join(kept_[2 * i], kept_[2 * i + 1]);
      if (i > 0) kept_[i] = std::move(kept_[2 * i]);
    }
    kept_.resize(buckets_);
    width_ *= 2;
  }
  kept_.push_back(fresh);
}

void Thinning::Bucket::carry(Carry& c) {
  for (Point* point : {&first, &last, &least_x, &most_x, &least_y, &most_y}) c(*point);
  c(size);
  carry_list(c, broken, 1);
}

void Thinning::carry(Carry& c) {
  c(width_);
  c(count_);
  carry_list(c, kept_, 2 * buckets_);
}

SeriesPoints Thinning::points() const {
  SeriesPoints out;
  for (const Bucket& b : kept_) {
    std::vector<Point> some = {b.first, b.last, b.least_x, b.most_x, b.least_y, b.most_y};
    some.insert(some.end(), b.broken.begin(), b.broken.end());
    std::sort(some.begin(), some.end(), [](const Point& p, const Point& q) { return p.index < q.index; });
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (i > 0 && some[i].index == some[i - 1].index) continue;
      out.x.push_back(some[i].x);
      out.y.push_back(some[i].y);
    }
  }
  return out;
}

SeriesPoints thinned(std::span<const double> x, std::span<const double> y, std::size_t buckets) {
  const std::size_t n = std::min(x.size(), y.size());
  if (n <= 4 * buckets)
    return {{x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n)},
            {y.begin(), y.begin() + static_cast<std::ptrdiff_t>(n)}};
  Thinning thinning(buckets);
  for (std::size_t i = 0; i < n; ++i) thinning.add(x[i], y[i]);
  return thinning.points();
}

}  // namespace taut
