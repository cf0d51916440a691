package dev.weir.streams.flush;

import dev.weir.streams.objects.ObjectContent.InFile;
import dev.weir.streams.objects.ObjectContent.InMemory;
import dev.weir.streams.objects.ObjectContent.Part;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Which bytes of a flush are no more: those in files that are missing or too short. Each file is
 * looked at once. A file that cannot be looked at is not lost.
 */
final class LostParts {
  private final Map<Path, Long> lengths = new HashMap<>();

  boolean contain(Part part) {
    return switch (part) {
      case InMemory _ -> false;
      case InFile file ->
          lengths.computeIfAbsent(file.file(), LostParts::length)
              < file.offset() + file.lengthBytes();
    };
  }

  private static long length(Path file) {
    try {
      return Files.size(file);
    } catch (NoSuchFileException missing) {
      return 0;
    } catch (IOException unknown) {
      return Long.MAX_VALUE;
    }
  }
}
