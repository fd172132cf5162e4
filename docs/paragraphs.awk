# What Doxygen reads of a header. A line that is not indented ends the paragraph of the \param or \return above it, and the
# parts of a contract have a paragraph each: \parted is an alias of Doxyfile that breaks it and leaves the lines as they are.
# Doxygen cannot find the overload that a copied comment means; the pages list overloads one after the other.
{
    text = $0
    if (sub(/^ *\/\/\/ /, "", text)) {
        if (text ~ /^\\(param|tparam|return)/) {
            described = 1
        } else if (text ~ /^(Order|Barriers|Cost|Equivalent): / || (described && text ~ /^[A-Z]/)) {
            described = 0
            sub(/\/\/\/ /, "&\\parted ")
        }
        if (text !~ /^ /) gsub(/ \.\. /, " … ")  # "0 .. n" does not end the first sentence
    } else {
        described = 0
    }
    sub(/\\copydoc .*/, "As above.")
    print
}
