/**
 * The page heap: which pages of the reservation are live, dirty or clean, and how many of them may
 * be resident.
 *
 * <p>Runs come from one region, placed by address-ordered first fit; spans (the memory of slabs)
 * from two regions of equal-sized pieces. One lock guards them all; no system call is made under
 * it.
 */
@NullMarked
package dev.weir.memory.pages;

import org.jspecify.annotations.NullMarked;
