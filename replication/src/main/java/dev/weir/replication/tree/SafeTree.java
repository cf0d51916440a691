package dev.weir.replication.tree;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A directory in which paths are followed name by name from an open descriptor, and never over a
 * link: what another process puts into the place of a directory meanwhile cannot lead out of it.
 * Keeps the directories of the last path open. For one thread at a time.
 */
public final class SafeTree implements Closeable {
  private final Path root;
  private final List<String> names = new ArrayList<>();
  private final List<SecureDirectoryStream<Path>> open = new ArrayList<>();

  /**
   * Opens a directory, whose own path may have links.
   *
   * @throws IOException also where the system cannot open files relative to a directory
   */
  @SuppressWarnings("StreamResourceLeak") // closed with this
  public SafeTree(Path root) throws IOException {
    this.root = root;
    DirectoryStream<Path> stream = Files.newDirectoryStream(root);
    if (!(stream instanceof SecureDirectoryStream<Path> secure)) {
      stream.close();
      throw new IOException(
          root + ": files cannot be opened relative to a directory here; use Linux or macOS");
    }
    open.add(secure);
  }

  /** The directory, as it was given. */
  public Path root() {
    return root;
  }

  /**
   * Opens a file.
   *
   * @param path relative, with '/' between names
   * @param options {@code NOFOLLOW_LINKS} is added
   */
  public FileChannel open(
      String path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    Set<OpenOption> all = new HashSet<>(options);
    all.add(LinkOption.NOFOLLOW_LINKS);
    SeekableByteChannel channel =
        parentOf(path).newByteChannel(Path.of(name(path)), all, attributes);
    if (channel instanceof FileChannel file) {
      return file;
    }
    channel.close();
    throw new IOException(path + " cannot be opened as a file");
  }

  /** What the system says of a file or directory, or of a link itself. */
  public BasicFileAttributes attributes(String path) throws IOException {
    return parentOf(path)
        .getFileAttributeView(
            Path.of(name(path)), BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
        .readAttributes();
  }

  /** Sets the permission bits. */
  public void setMode(String path, int mode) throws IOException {
    parentOf(path)
        .getFileAttributeView(
            Path.of(name(path)), PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
        .setPermissions(permissions(mode));
  }

  /** Opens a directory, to see that it is one and no link. */
  public void enter(String directory) throws IOException {
    parentOf(directory + "/.");
  }

  /** The permissions of mode bits. */
  public static Set<PosixFilePermission> permissions(int mode) {
    PosixFilePermission[] all = PosixFilePermission.values();
    Set<PosixFilePermission> permissions = new HashSet<>();
    for (int i = 0; i < all.length; i++) {
      if ((mode & (0400 >> i)) != 0) {
        permissions.add(all[i]);
      }
    }
    return permissions;
  }

  private static String name(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  private SecureDirectoryStream<Path> parentOf(String path) throws IOException {
    String[] parts = path.split("/", -1);
    int depth = parts.length - 1;
    int common = 0;
    while (common < depth && common < names.size() && names.get(common).equals(parts[common])) {
      common++;
    }
    while (names.size() > common) {
      names.removeLast();
      open.removeLast().close();
    }
    for (int i = common; i < depth; i++) {
      SecureDirectoryStream<Path> next =
          open.getLast().newDirectoryStream(Path.of(parts[i]), LinkOption.NOFOLLOW_LINKS);
      open.add(next);
      names.add(parts[i]);
    }
    return open.getLast();
  }

  @Override
  public void close() throws IOException {
    while (!open.isEmpty()) {
      open.removeLast().close();
    }
    names.clear();
  }
}
