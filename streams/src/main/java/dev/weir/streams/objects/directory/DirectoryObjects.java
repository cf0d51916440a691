package dev.weir.streams.objects.directory;

import dev.weir.streams.objects.NoSuchObjectException;
import dev.weir.streams.objects.ObjectInfo;
import dev.weir.streams.objects.ObjectKeys;
import dev.weir.streams.objects.ObjectStoreException;
import dev.weir.streams.objects.PreconditionFailedException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** What is read of objects below a directory, and what is said where that fails. Thread-safe. */
record DirectoryObjects(Path root) {
  String name() {
    return "dir:" + root;
  }

  Path file(String key) {
    return root.resolve(ObjectKeys.check(key));
  }

  /** Blocks. */
  ObjectInfo head(String key) throws IOException {
    BasicFileAttributes attributes = require(key, file(key));
    return new ObjectInfo(key, attributes.size(), Stamps.etag(attributes));
  }

  /** Fills the target. Blocks. */
  void read(
      String key,
      @Nullable String ifMatch,
      long offset,
      MemorySegment target,
      FileRequest<?> request)
      throws IOException {
    Path file = file(key);
    checkEtag(key, require(key, file), ifMatch);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      long read = ObjectFiles.read(channel, offset, target, request);
      if (read < target.byteSize() || offset > channel.size()) {
        throw failure(
            key,
            "ends at %,d, before %,d".formatted(channel.size(), offset + target.byteSize()),
            null);
      }
    } catch (NoSuchFileException e) {
      throw missing(key);
    }
    if (ifMatch != null) {
      // Once more: the file that was opened may have replaced the one that was looked at.
      checkEtag(key, require(key, file), ifMatch);
    }
  }

  private BasicFileAttributes require(String key, Path file) throws IOException {
    BasicFileAttributes attributes = attributes(file);
    if (attributes == null) {
      throw missing(key);
    }
    return attributes;
  }

  private void checkEtag(String key, BasicFileAttributes file, @Nullable String ifMatch)
      throws PreconditionFailedException {
    if (ifMatch != null && !Stamps.etag(file).equals(ifMatch)) {
      throw changed(key, ifMatch, Stamps.etag(file));
    }
  }

  /** Null: there is no object. */
  static @Nullable BasicFileAttributes attributes(Path file) throws IOException {
    try {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return attributes.isRegularFile() ? attributes : null;
    } catch (NoSuchFileException | NotDirectoryException e) {
      return null;
    } catch (FileSystemException e) {
      // A part of the key is a file: ENOTDIR, for which the JDK has no type here.
      if (String.valueOf(e.getReason()).contains("Not a directory")) {
        return null;
      }
      throw e;
    }
  }

  NoSuchObjectException missing(String key) {
    return new NoSuchObjectException(name() + " has no object " + key);
  }

  PreconditionFailedException changed(String key, String wanted, String found) {
    return new PreconditionFailedException(
        "%s: object %s has the ETag %s, not %s".formatted(name(), key, found, wanted));
  }

  ObjectStoreException failure(String key, String reason, @Nullable Throwable cause) {
    return new ObjectStoreException(name() + ": object " + key + " " + reason, cause);
  }
}
