package dev.weir.replication.imports;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.ToLongFunction;

/**
 * Where imports go, and within which limits.
 *
 * @param directory gets each container as a folder of its name
 * @param progressLimit an import that nobody brings anything to for so long is put aside
 * @param freeBytes what a directory has room for, as the system says, or as a test pretends
 */
public record ImportOptions(
    Path directory, Duration progressLimit, ToLongFunction<Path> freeBytes) {}
