/** The scenario in which a thousand slow clients send, receive, or do both, at once. */
@NullMarked
package dev.weir.lab.slowclients;

import org.jspecify.annotations.NullMarked;
