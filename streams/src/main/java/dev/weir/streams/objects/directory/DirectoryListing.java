package dev.weir.streams.objects.directory;

import dev.weir.streams.objects.ObjectInfo;
import dev.weir.streams.objects.ObjectPage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Walks a directory in the order of keys. A folder sorts as its name with a slash, as the keys
 * below it do. Of each folder at most one name more than the page has room for is kept in memory.
 */
final class DirectoryListing {
  private final Path root;
  private final String prefix;
  private final String startAfter;
  private final int maxKeys;
  private final FileRequest<?> request;
  private final List<ObjectInfo> found = new ArrayList<>();
  private boolean isLast = true;

  private DirectoryListing(
      Path root, String prefix, String startAfter, int maxKeys, FileRequest<?> request) {
    this.root = root;
    this.prefix = prefix;
    this.startAfter = startAfter;
    this.maxKeys = maxKeys;
    this.request = request;
  }

  /** The objects behind {@code startAfter}, which is empty to begin with the first. */
  static ObjectPage page(
      Path root, String prefix, String startAfter, int maxKeys, FileRequest<?> request)
      throws IOException {
    DirectoryListing listing = new DirectoryListing(root, prefix, startAfter, maxKeys, request);
    listing.walk("");
    return new ObjectPage(List.copyOf(listing.found), listing.isLast);
  }

  /** False: the page is full. */
  private boolean walk(String folder) throws IOException {
    // The last name kept may be a folder without objects: then there are more names to look at.
    String behind = "";
    while (true) {
      request.checkCancelled();
      NavigableSet<String> names = new TreeSet<>();
      boolean areAll = readNames(folder, behind, names);
      for (String name : names) {
        if (!visit(folder + name)) {
          return false;
        }
      }
      if (areAll) {
        return true;
      }
      behind = names.last();
    }
  }

  /** Whether these are the folder's last names. */
  private boolean readNames(String folder, String behind, NavigableSet<String> names)
      throws IOException {
    boolean areAll = true;
    try (Stream<Path> entries = Files.list(root.resolve(folder))) {
      for (Iterator<Path> i = entries.iterator(); i.hasNext(); ) {
        Path entry = i.next();
        String name = String.valueOf(entry.getFileName());
        if (name.startsWith("~")) {
          continue;
        }
        if (Files.isDirectory(entry)) {
          name += "/";
        }
        if (name.compareTo(behind) > 0 && isWanted(folder + name)) {
          names.add(name);
          if (names.size() > maxKeys + 1) {
            names.pollLast();
            areAll = false;
          }
        }
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      return true;
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return areAll;
  }

  /** For a folder, whose path ends with a slash: whether there may be wanted keys below it. */
  private boolean isWanted(String path) {
    if (path.endsWith("/")) {
      return (path.startsWith(prefix) || prefix.startsWith(path))
          && (path.compareTo(startAfter) > 0 || startAfter.startsWith(path));
    }
    return path.startsWith(prefix) && path.compareTo(startAfter) > 0;
  }

  private boolean visit(String path) throws IOException {
    if (path.endsWith("/")) {
      return walk(path);
    }
    BasicFileAttributes file;
    try {
      file = Files.readAttributes(root.resolve(path), BasicFileAttributes.class);
    } catch (NoSuchFileException e) {
      return true; // Deleted meanwhile.
    }
    if (found.size() == maxKeys) {
      isLast = false;
      return false;
    }
    found.add(new ObjectInfo(path, file.size(), Stamps.etag(file)));
    return true;
  }
}
