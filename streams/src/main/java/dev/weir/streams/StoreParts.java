package dev.weir.streams;

import dev.weir.cache.log.LogCache;
import dev.weir.streams.layout.DamagedObjectException;
import dev.weir.streams.manifest.FencedException;
import dev.weir.streams.manifest.Manifests;
import dev.weir.streams.objects.CountedStore;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.ObjectStoreException;
import dev.weir.streams.recovery.OwnedByAnotherException;
import dev.weir.streams.recovery.Ownership;
import dev.weir.streams.recovery.StoreRecovery;
import dev.weir.streams.segments.SegmentReaders;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;

/**
 * What a {@link StreamStore} consists of, opened in this order and closed in the other:
 *
 * <ol>
 *   <li>the data directory, its lock and its identity;
 *   <li>the object store, which is ours from then on, and what it has;
 *   <li>what the WAL has beyond that;
 *   <li>segments that nobody names are deleted, last.
 * </ol>
 */
record StoreParts(
    SameDirectories disk,
    StoreLayout layout,
    CountedStore store,
    StoreRecovery.Recovered recovered,
    Catalog catalog,
    TailCache tail,
    Unflushed unflushed,
    Recovery.Result found,
    JournalSeries journals,
    Storage storage,
    ReadPath path,
    ScheduledExecutorService janitor,
    Deque<Closeable> opened) {
  private static final System.Logger LOG = System.getLogger(StoreParts.class.getName());

  static StoreParts open(StoreLayout layout, Disk disk, Clock clock, StoreOptions options)
      throws IOException {
    DataDirectory.make(disk, layout);
    Deque<Closeable> opened = new ArrayDeque<>();
    try {
      opened.push(NodeLock.acquire(layout));
      return open(layout, disk, clock, options, opened);
    } catch (Throwable notOpened) {
      closeAll(opened, notOpened);
      throw notOpened;
    }
  }

  private static StoreParts open(
      StoreLayout layout,
      Disk plainDisk,
      Clock clock,
      StoreOptions options,
      Deque<Closeable> opened)
      throws IOException {
    NodeIdentity identity = NodeIdentity.of(plainDisk, layout);
    CountedStore store = new CountedStore(options.objects().open(layout.objectDirectory()));
    opened.push(store::close);
    StoreRecovery.Recovered recovered =
        recover(
            store,
            new Ownership.Claim(
                identity.nonce(), options.host(), options.takesOver(), options.withoutWal()));
    long epoch = recovered.session().owner().epoch();
    if (options.withoutWal() || options.takesOver()) {
      setAside(plainDisk, layout, epoch, options.withoutWal());
    }
    SameDirectories disk = SameDirectories.open(plainDisk, layout);
    opened.push(disk);
    ScheduledExecutorService janitor =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("weir-janitor").daemon().factory());
    opened.push(janitor::shutdownNow);
    Manifests manifests = recovered.manifests();
    Catalog catalog = new Catalog();
    LogCache memory = options.tail();
    TailCache tail = memory == null ? TailCache.NONE : TailCache.in(memory);
    Unflushed unflushed =
        new Unflushed(layout, catalog, tail, id -> deleteLater(disk, layout, janitor, id));
    ByteBuffer buffer = JournalSeries.newBuffer();
    Recovery.Result found =
        Recovery.run(
            new Recovery.Settings(
                disk,
                layout,
                manifests,
                epoch,
                !identity.hasWal() || options.withoutWal() || options.takesOver(),
                clock.nowMillis(),
                catalog,
                unflushed),
            buffer);
    JournalSeries journals =
        new JournalSeries(disk, layout, buffer, found.journal(), found.older());
    opened.push(journals);
    identity.noteWal(plainDisk, layout);
    int orphans = StoreRecovery.deleteOrphans(store, recovered);
    if (orphans > 0) {
      LOG.log(System.Logger.Level.INFO, "{0} segments that no commit names are deleted", orphans);
    }
    StoreSnapshots.deleteLeft(store);
    SegmentReaders readers = new SegmentReaders(store);
    Storage storage =
        new Storage(
            store,
            recovered,
            readers,
            tail,
            disk::check,
            frozen -> {
              unflushed.flushed(frozen);
              journals.cut(frozen.changes().walPosition());
            },
            new Scrub(manifests, readers, options.scrubEvery()),
            clock::nowMillis);
    ReadPath path =
        new ReadPath(
            disk,
            layout,
            catalog,
            tail,
            unflushed.bytes(),
            manifests,
            store,
            readers,
            options.blocks());
    return new StoreParts(
        disk, layout, store, recovered, catalog, tail, unflushed, found, journals, storage, path,
        janitor, opened);
  }

  private static StoreRecovery.Recovered recover(ObjectStore store, Ownership.Claim claim)
      throws IOException {
    try {
      return StoreRecovery.open(store, claim);
    } catch (OwnedByAnotherException
        | FencedException
        | DamagedObjectException
        | ObjectStoreException e) {
      throw new DataDirectoryException(String.valueOf(e.getMessage()), e);
    }
  }

  /** A WAL of another epoch speaks of another history; people may want it. */
  private static void setAside(Disk disk, StoreLayout layout, long epoch, boolean always)
      throws IOException {
    boolean isNeeded = always || !isOfEpoch(disk, layout, epoch);
    if (!isNeeded || disk.list(layout.journalDirectory()).isEmpty()) {
      return;
    }
    LOG.log(
        System.Logger.Level.WARNING,
        "the WAL is given up, and kept as {0}",
        layout.journalsAside(epoch));
    disk.move(layout.journalDirectory(), layout.journalsAside(epoch));
    disk.makeDirectories(layout.journalDirectory());
    disk.syncDirectory(layout.root());
  }

  private static boolean isOfEpoch(Disk disk, StoreLayout layout, long epoch) throws IOException {
    for (var path : disk.list(layout.journalDirectory())) {
      var sequence = StoreLayout.journalSequence(path);
      if (sequence.isEmpty() || !Files.isRegularFile(path)) {
        continue;
      }
      try (DiskFile file = disk.openForReading(path)) {
        ByteBuffer first = new FrameReader(file, 0).next();
        Journal.Header header =
            first == null ? null : Journal.readHeader(first, sequence.getAsLong());
        if (header != null && header.epoch() != epoch) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * Deleting a large file takes the file system a while: never on the committer's thread. A store
   * that is closed leaves it to the next start.
   */
  void deleteLater(long fileId) {
    deleteLater(disk, layout, janitor, fileId);
  }

  private static void deleteLater(
      Disk disk, StoreLayout layout, ScheduledExecutorService janitor, long fileId) {
    try {
      janitor.execute(() -> delete(disk, layout, fileId));
    } catch (RejectedExecutionException closed) {
      LOG.log(System.Logger.Level.DEBUG, "a spool file stays until the next start", closed);
    }
  }

  private static void delete(Disk disk, StoreLayout layout, long fileId) {
    try {
      disk.delete(layout.spooled(fileId));
    } catch (Throwable e) {
      LOG.log(
          System.Logger.Level.WARNING, "cannot delete a spool file; the next start tries again", e);
    }
  }

  void close() throws IOException {
    while (!opened.isEmpty()) {
      opened.pop().close();
    }
  }

  /** The error that is told stays the first one. */
  void closeAfter(Throwable failure) {
    closeAll(opened, failure);
  }

  private static void closeAll(Deque<Closeable> opened, Throwable failure) {
    while (!opened.isEmpty()) {
      try {
        opened.pop().close();
      } catch (Throwable notClosed) {
        failure.addSuppressed(notClosed);
      }
    }
  }
}
