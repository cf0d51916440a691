/**
 * The operating system's memory calls, each behind one interface. Nothing above this package makes
 * one.
 */
@NullMarked
package dev.weir.memory.os;

import org.jspecify.annotations.NullMarked;
