/** What tests of several packages share. */
@NullMarked
package dev.weir.streams.testing;

import org.jspecify.annotations.NullMarked;
