/** {@code weir doctor}: looks for damage in what a node has stored, and changes nothing. */
@NullMarked
package dev.weir.cli.doctor;

import org.jspecify.annotations.NullMarked;
