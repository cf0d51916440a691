/** The scenario in which many large uploads arrive at once and are held whole. */
@NullMarked
package dev.weir.lab.httpburst;

import org.jspecify.annotations.NullMarked;
