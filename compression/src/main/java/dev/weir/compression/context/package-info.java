/** Contexts of compression libraries: where their memory comes from, and who has them. */
@NullMarked
package dev.weir.compression.context;

import org.jspecify.annotations.NullMarked;
