/** Files that are there whole or not at all. */
@NullMarked
package dev.weir.lab.files;

import org.jspecify.annotations.NullMarked;
