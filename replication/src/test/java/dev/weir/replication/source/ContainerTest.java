package dev.weir.replication.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.replication.manifest.ManifestLayout;
import dev.weir.replication.manifest.ManifestReader;
import dev.weir.replication.manifest.Run;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Manifests of a tree that is sealed, and how long it stays. */
class ContainerTest {
  private static final int KNOWN = 0x1234567;

  @TempDir private Path folder;

  private Sealed tree;
  private Container container;

  /** A tree that says a checksum of its own for each file's first chunk. */
  private static final class Sealed implements Origin, Origin.Tree {
    private final Path root;
    private boolean isClosed;

    Sealed(Path root) {
      this.root = root;
    }

    @Override
    public Tree open() {
      return this;
    }

    @Override
    public int mostSnapshots() {
      return 64;
    }

    @Override
    public Path root() {
      return root;
    }

    @Override
    public boolean isSealed() {
      return true;
    }

    @Override
    public boolean isCurrent() {
      return true;
    }

    @Override
    public int[] checksums(String path) throws IOException {
      if (path.equals("damaged")) {
        throw new IOException("no checksums of " + path);
      }
      return new int[] {KNOWN};
    }

    @Override
    public Map<String, String> headers() {
      return Map.of();
    }

    @Override
    public void close() {
      isClosed = true;
    }
  }

  @BeforeEach
  void makeTree() throws IOException {
    tree = new Sealed(Files.createDirectory(folder.resolve("tree")));
    Files.write(tree.root().resolve("a"), new byte[ManifestLayout.CHUNK_BYTES + 1]);
    container = new Container("store", tree, folder.resolve("cache"));
  }

  private Snapshot build() {
    return container
        .build(Runnable::run, build -> build.accept(ByteBuffer.allocateDirect(4096)))
        .result()
        .join();
  }

  @Test
  void knownChecksumsAreTakenAndTheRestIsRead() throws IOException {
    try (ManifestReader manifest = ManifestReader.open(build().manifest())) {
      assertThat(manifest.next()).isNotNull();
      Run known = manifest.nextRun();
      assertThat(known).isNotNull();
      assertThat(known.crc(0)).isEqualTo(KNOWN);
      assertThat(manifest.nextRun()).isNotNull().matches(Run::isHole);
    }
  }

  @Test
  void aLinkMoreDoesNotChangeAFileOfASealedTree() throws IOException {
    Snapshot snapshot = build();
    Files.createLink(folder.resolve("link"), tree.root().resolve("a"));
    try (Slices slices = snapshot.slices(0, 10)) {
      Slices.Slice slice = slices.next();
      assertThat(slice).isNotNull();
      assertThat(slice.path()).isEqualTo("a");
      slice.file().close();
    }
  }

  @Test
  void aTreeStaysForTenMinutesAfterItsLastUse() {
    Snapshot snapshot = build();
    long used = System.nanoTime();
    container.expire(used + Duration.ofMinutes(9).toNanos());
    assertThat(container.snapshot(snapshot.tag())).isSameAs(snapshot);
    assertThat(tree.isClosed).isFalse();

    container.expire(System.nanoTime() + Duration.ofMinutes(11).toNanos());
    assertThat(container.snapshot(snapshot.tag())).isNull();
    assertThat(tree.isClosed).isTrue();
    assertThat(snapshot.manifest()).doesNotExist();
  }

  @Test
  void aTreeWithoutAManifestIsClosed() throws IOException {
    Files.writeString(tree.root().resolve("damaged"), "x");
    assertThatThrownBy(this::build).hasMessageContaining("no checksums of damaged");
    assertThat(tree.isClosed).isTrue();
    assertThat(container.snapshots()).isZero();
  }
}
