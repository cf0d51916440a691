/** {@code lab run rss-per-thread}: what each further event loop costs. */
@NullMarked
package dev.weir.lab.perthread;

import org.jspecify.annotations.NullMarked;
