/** The tail of a log: record batches of many streams, oldest out first. */
@NullMarked
package dev.weir.cache.log;

import org.jspecify.annotations.NullMarked;
