package dev.weir.replication.source;

import dev.weir.replication.manifest.Summary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A container as one manifest has it. Any thread. */
public final class Snapshot {
  private final String container;
  private final Origin.Tree tree;
  private final String tag;
  private final Path manifest;
  private final Path stamps;
  private final SparseIndex index;
  private final Summary summary;
  private volatile long usedNanos = System.nanoTime();

  Snapshot(
      String container,
      Origin.Tree tree,
      String tag,
      Path manifest,
      Path stamps,
      SparseIndex index,
      Summary summary) {
    this.container = container;
    this.tree = tree;
    this.tag = tag;
    this.manifest = manifest;
    this.stamps = stamps;
    this.index = index;
    this.summary = summary;
  }

  /** The container's name. */
  public String container() {
    return container;
  }

  /** The files that it names. */
  public Origin.Tree tree() {
    return tree;
  }

  /** The entity tag, without quotes: the manifest's SHA-256. */
  public String tag() {
    return tag;
  }

  /** The file that holds the manifest. */
  public Path manifest() {
    return manifest;
  }

  /** What it adds up to. */
  public Summary summary() {
    return summary;
  }

  /** The files behind a range of the byte space. */
  public Slices slices(long offset, long length) throws IOException {
    usedNanos = System.nanoTime();
    return Slices.open(this, offset, length);
  }

  Path stamps() {
    return stamps;
  }

  SparseIndex index() {
    return index;
  }

  /** Somebody asks for it: it stays for another ten minutes. */
  public void use() {
    usedNanos = System.nanoTime();
  }

  long usedNanos() {
    return usedNanos;
  }

  void delete() throws IOException {
    tree.close();
    Files.deleteIfExists(manifest);
    Files.deleteIfExists(stamps);
  }
}
