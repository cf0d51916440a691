/** {@code lab run http-accumulate}: small uploads, then large ones, until one is refused. */
@NullMarked
package dev.weir.lab.accumulate;

import org.jspecify.annotations.NullMarked;
