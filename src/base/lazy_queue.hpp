#pragma once
/// First in, first out, for queues of which there are many and most stay empty: takes no memory
/// until something is put in. (An empty std::deque holds more than half a kibibyte.)

#include <cstddef>
#include <utility>
#include <vector>

namespace railyard {

template <class T>
class LazyQueue {
  public:
    bool empty() const { return next_ == items_.size(); }
    std::size_t size() const { return items_.size() - next_; }

    T& front() { return items_[next_]; }
    /// References to what is in the queue do not outlive this.
    void push_back(T item) { items_.push_back(std::move(item)); }
    void pop_front() {
        items_[next_++] = T{};  // what it held must not wait for the others
        if (empty()) {
            items_.clear();
            next_ = 0;
        } else if (next_ > few && next_ > items_.size() / 2) {
            // Each of those that move has been paid for by one that left.
            items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(next_));
            next_ = 0;
        }
    }

    /// Takes out the first that is such, wherever it is; false: there is none.
    template <class Such>
    bool remove_first(Such&& such) {
        for (std::size_t i = next_; i < items_.size(); ++i) {
            if (!such(items_[i])) continue;
            items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(i));
            if (empty()) {
                items_.clear();
                next_ = 0;
            }
            return true;
        }
        return false;
    }

  private:
    static constexpr std::size_t few = 16;
    std::vector<T> items_;
    std::size_t next_ = 0;  ///< those before it have left
};

}  // namespace railyard
