/** {@code lab run gateway}: compressed responses, and what several ways of compressing keep. */
@NullMarked
package dev.weir.lab.gateway;

import org.jspecify.annotations.NullMarked;
