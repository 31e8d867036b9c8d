// Shortens long series without losing extremes: neighbouring points share a bucket, and a bucket keeps its
// first and last point and those of least and greatest x and y. A spike of one point in a million stays.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace taut {

class Carry;

struct SeriesPoints {
  std::vector<double> x, y;
};

// Takes points one at a time and never holds more than 2 · buckets buckets: when they are full,
// neighbours merge.
class Thinning {
 public:
  explicit Thinning(std::size_t buckets) : buckets_(buckets) {}
  void add(double x, double y);
  // Returns them in the order they came; a point that is not finite stays where it breaks the line.
  SeriesPoints points() const;
  std::size_t count() const { return count_; }  // points it was given

  // Carries it to bytes and back: see carry_list.hpp.
  void carry(Carry& c);

 private:
  struct Point {
    std::size_t index;
    double x, y;
  };
  struct Bucket {
    Point first, last, least_x, most_x, least_y, most_y;
    std::size_t size;
    std::vector<Point> broken;  // the first point that is not finite, if any

    void carry(Carry& c);
  };
  static Bucket bucket_of(const Point& point);
  static void join(Bucket& a, const Bucket& b);

  std::size_t buckets_, width_ = 1, count_ = 0;
  std::vector<Bucket> kept_;
};

// Thins a series; one of at most 4 · buckets points stays as it is.
SeriesPoints thinned(std::span<const double> x, std::span<const double> y, std::size_t buckets);

}  // namespace taut
