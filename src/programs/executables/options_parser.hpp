#pragma once
/// getopt and its long forms for one rank: as the C library has them, with a place of its own in
/// the rank's arguments.

#include <getopt.h>

namespace railyard::executables {

class OptionsParser {
  public:
    /// The program's own variables (optind and the others).
    struct Place {
        char*& argument;
        int& index;
        const int& reports;
        int& unknown;
    };
    enum class Long : unsigned char {
        no,
        yes,
        only,  ///< one dash is enough
    };

    struct Known {
        const char* shorts;
        const option* longs = nullptr;  ///< the last has a null name; null: there are none
        Long how = Long::no;
        bool up_to_first_word = false;  ///< options end there, as POSIX has it
    };
    /// -1: no options are left.
    int next(Place place, int argc, char** argv, const Known& known, int* which = nullptr);

  private:
    enum class Order : unsigned char { permute, stop, in_place };

    struct Call;
    int take_long(Call& call, const char* word);
    int take_short(Call& call);
    void exchange(char** argv, int end);

    const char* rest_ = nullptr;  ///< of a word of several short options
    // Words from the first to before the last are none, and have been passed over.
    int first_word_ = 1;
    int last_word_ = 1;
};

}  // namespace railyard::executables
