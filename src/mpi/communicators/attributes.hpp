#pragma once
/// What users hang on communicators and datatypes: a pointer under a key, with functions that are
/// called when the object is copied and when the pointer is taken off.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace railyard::mpi {

/// A key. Lives as long as somebody holds an attribute under it, also after the user freed it.
struct Keyval {
    int handle = 0;  ///< what the user knows it by
    /// The value for the copy of the object with this handle; none: the copy has no such attribute.
    /// Null: never copied. Throws MpiError if the user's function fails.
    std::function<std::optional<void*>(int object, void* value)> copy;
    /// Null: nothing to do. Throws MpiError if the user's function fails: the value stays then.
    std::function<void(int object, void* value)> erase;
};

using KeyvalRef = std::shared_ptr<const Keyval>;

class Attributes {
  public:
    /// A value that is there already is erased first. `object` is the owner's handle, here and
    /// below, for the user's functions.
    void set(int object, const KeyvalRef& key, void* value);
    /// None if there is none.
    std::optional<void*> get(const Keyval& key) const;
    /// False if there was none.
    bool erase(int object, const Keyval& key);
    /// Those of a copied object, as the keys' functions have it, in the order of setting.
    Attributes copied(int object) const;
    /// The last one first, as MPI asks for at the end.
    void erase_all(int object);

  private:
    struct Entry {
        KeyvalRef key;
        void* value;
    };
    std::vector<Entry> entries_;
};

}  // namespace railyard::mpi
