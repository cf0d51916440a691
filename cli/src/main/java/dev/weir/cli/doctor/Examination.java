package dev.weir.cli.doctor;

import dev.weir.objects.s3.S3ObjectStore;
import dev.weir.objects.s3.S3Options;
import dev.weir.streams.WalCheck;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.directory.DirectoryReader;
import dev.weir.streams.recovery.Doctor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is looked at, and in which order: the WAL first, then the store. */
final class Examination {
  /** Where the store of a data directory is; the first is for a directory that is a store. */
  private static final List<String> STORES = List.of("", "objects");

  private Examination() {}

  /**
   * A data directory with its WAL, or a directory that is a store.
   *
   * @throws IOException where there is neither, or it cannot be read
   */
  static Findings ofDirectory(Path directory, ProgressReport progress) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new IOException(
          "there is no directory '%s'; name the one of --data or --store".formatted(directory));
    }
    Findings findings = new Findings(directory.toString());
    boolean hasWal = WalCheck.isIn(directory);
    if (hasWal) {
      if (WalCheck.isInUse(directory)) {
        findings.note(
            "a node is running on it: what it replaces meanwhile looks missing, and the end of its"
                + " WAL torn; stop it and look again");
      }
      long walBytes = WalCheck.totalBytes(directory);
      findings.add(WalCheck.examine(directory, bytes -> progress.show("WAL", bytes, walBytes)));
    }
    Path store = store(directory);
    if (store != null) {
      try (ObjectStore objects = DirectoryReader.open(store)) {
        String prefix = directory.relativize(store).toString();
        findings.add(Doctor.examine(objects, progress.of("segments")), prefix);
      }
    } else if (!hasWal) {
      throw new IOException(
          "there is nothing of a node in '%s'; name the directory of --data or --store"
              .formatted(directory));
    }
    return findings;
  }

  private static @Nullable Path store(Path directory) throws IOException {
    for (String name : STORES) {
      Path candidate = name.isEmpty() ? directory : directory.resolve(name);
      if (Files.isDirectory(candidate)) {
        try (ObjectStore objects = DirectoryReader.open(candidate)) {
          if (Doctor.isStore(objects)) {
            return candidate;
          }
        }
      }
    }
    return null;
  }

  /**
   * The store in a bucket.
   *
   * @throws IOException where there is none, or no answer
   */
  static Findings ofBucket(String place, S3Options options, ProgressReport progress)
      throws IOException {
    try (ObjectStore objects = open(place, options)) {
      if (!Doctor.isStore(objects)) {
        throw new IOException(
            "there is nothing of a node in %s; name the bucket and prefix of --store"
                .formatted(place));
      }
      Findings findings = new Findings(place);
      findings.add(Doctor.examine(objects, progress.of("segments")), "");
      return findings;
    }
  }

  /** The SDK says by unchecked exceptions that it finds no region, or cannot use the endpoint. */
  private static ObjectStore open(String place, S3Options options) throws IOException {
    try {
      return S3ObjectStore.openForReading(options);
    } catch (RuntimeException e) {
      throw new IOException("cannot open %s: %s".formatted(place, e.getMessage()), e);
    }
  }
}
