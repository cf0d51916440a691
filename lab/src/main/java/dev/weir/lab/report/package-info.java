/** Rows as a table for people and as JSON for programs. */
@NullMarked
package dev.weir.lab.report;

import org.jspecify.annotations.NullMarked;
