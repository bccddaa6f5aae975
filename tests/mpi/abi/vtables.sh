#!/bin/sh
# Prints what stands in each virtual table of a library, in order: to be compared with another's.
# A slot is relocated by the function's name, or by its address where it cannot be interposed.
#
#     vtables.sh libmpichcxx.so.12
{
    nm -D --defined-only -S "$1" | awk '$4 ~ /^_ZTV/ { print "table", $1, $2, $4 }
                                        $3 == "T" { print "function", $1, $4 }'
    readelf -rW "$1" | awk '$5 ~ /^_(Z|_cxa_pure)/ { print "slot", $1, $5 }
                            $3 ~ /RELATIVE/ { print "place", $1, $4 }'
} | awk '
    function number(hex,   i, n) {
        n = 0
        for (i = 1; i <= length(hex); ++i) n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
        return n
    }
    $1 == "table" { begin[$4] = number($2); size[$4] = number($3) }
    $1 == "function" { name[number($2)] = $3 }
    $1 == "slot" { sub(/@.*/, "", $3); slot[number($2)] = $3 }
    $1 == "place" && number($3) in name { slot[number($2)] = name[number($3)] }
    END {
        for (table in begin)
            for (at = 0; at < size[table]; at += 8)
                if (begin[table] + at in slot) print table, at, slot[begin[table] + at]
    }' | sort -k1,1 -k2,2n
