package dev.weir.streams;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Judges a command against the newest states, drafts included, and writes what it changes: small
 * bodies to their segment file and to the journal, others to the journal by reference. For the
 * committer's thread alone.
 */
final class Evaluator {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Catalog catalog;
  private final JournalSeries journals;
  private final OpenFiles files;
  private final AtomicLong ids;
  private final Clock clock;
  private final StoreStats stats;
  private final LongConsumer deleter;
  private final long catalogLimitBytes;
  private final RecordWriter record = new RecordWriter();

  Evaluator(
      Catalog catalog,
      JournalSeries journals,
      OpenFiles files,
      AtomicLong ids,
      Clock clock,
      StoreStats stats,
      LongConsumer deleter,
      long catalogLimitBytes) {
    this.catalog = catalog;
    this.journals = journals;
    this.files = files;
    this.ids = ids;
    this.clock = clock;
    this.stats = stats;
    this.deleter = deleter;
    this.catalogLimitBytes = catalogLimitBytes;
  }

  /**
   * Whether a command is to be the only one in its batch: forks and their sources look at each
   * other, and are judged by published states only, so that drafts need not know of each other.
   */
  boolean mustBeAlone(Command command) {
    return switch (command) {
      case Command.Delete delete -> hasRelatives(catalog.find(delete.path()));
      case Command.Create create ->
          create.request().fork() != null || hasRelatives(findExpired(create.request().path()));
      case Command.Append append -> false;
      case Command.Stop stop -> false;
    };
  }

  /** Whether what {@code batch} does to a command's stream is to be settled before the command. */
  boolean mustFollow(Command command, Batch batch) {
    return switch (command) {
      case Command.Delete delete ->
          batch.isDeleted(delete.path()) || batch.draft(delete.path()) != null;
      case Command.Create create -> {
        String path = create.request().path();
        yield batch.isDeleted(path) || (batch.draft(path) != null && findExpired(path) != null);
      }
      case Command.Append append -> batch.isDeleted(append.request().path());
      case Command.Stop stop -> false;
    };
  }

  private boolean hasRelatives(@Nullable Stream stream) {
    return stream != null
        && (stream.state().config().fork() != null || catalog.hasForks(stream.state().streamId()));
  }

  /**
   * @throws SegmentWriteException when only this command's bytes could not be written
   * @throws CatalogFullException when there is no room for what only this command would add
   * @throws IOException when the journal failed, and with it the batch
   */
  void evaluate(Command command, Batch batch) throws IOException {
    switch (command) {
      case Command.Append append -> append(append, batch);
      case Command.Create create -> create(create, batch);
      case Command.Delete delete -> delete(delete, batch);
      case Command.Stop stop -> throw new IllegalStateException("a stop is no change");
    }
  }

  /** Deletes files that no stream needs. */
  void discard(List<Long> fileIds) {
    for (long fileId : fileIds) {
      files.forget(fileId);
      deleter.accept(fileId);
    }
  }

  /** Gives back, as far as possible, the room of what a batch that was rolled back wrote. */
  void takeBack(Batch batch) {
    batch.sizesBefore().forEach(files::cut);
    discard(batch.newFiles());
  }

  private void append(Command.Append command, Batch batch) throws IOException {
    AppendRequest request = command.request();
    Draft draft = draft(request.path(), batch);
    if (draft == null) {
      batch.answer(() -> command.answer().complete(new AppendOutcome.NotFound()));
      return;
    }
    AppendOutcome refusal = refuse(draft, request, command.payload());
    if (refusal != null) {
      batch.answer(() -> command.answer().complete(refusal));
      return;
    }
    if (growsTheCatalog(draft, request)) {
      checkRoomInCatalog();
    }
    record.clear();
    Mutation.Appended mutation =
        place(
            draft.state(),
            command.payload(),
            request.closes(),
            request.sequence(),
            request.producer(),
            batch);
    RecordCodec.write(mutation, record);
    journals.current().add(record.contents(), inlineBytes(command.payload()));
    draft.apply(mutation);
    StreamState next = draft.state();
    batch.answer(() -> {
      count(mutation.bytes());
      command.answer().complete(new AppendOutcome.Appended(next.tailOffset(), next.closed()));
    });
  }

  private static boolean growsTheCatalog(Draft draft, AppendRequest request) {
    return (request.producer() != null && draft.producer(request.producer()) == null)
        || StreamState.stringBytes(request.sequence())
            > StreamState.stringBytes(draft.state().lastSequence());
  }

  /** What a batch adds is seen when it is published: a batch is small. */
  private void checkRoomInCatalog() throws CatalogFullException {
    if (catalog.heldBytes() >= catalogLimitBytes) {
      throw new CatalogFullException(catalogLimitBytes);
    }
  }

  private static @Nullable AppendOutcome refuse(
      Draft draft, AppendRequest request, Payload payload) {
    ProducerTag tag = request.producer();
    ProducerState known = draft.producer(tag);
    AppendOutcome refusal = AppendPolicy.refuse(draft.state(), known, request, payload.bytes() > 0);
    if (refusal == null && tag != null && known == null && !draft.hasRoomForProducer()) {
      return new AppendOutcome.TooManyProducers(Stream.MAX_PRODUCERS);
    }
    if (refusal == null
        && SegmentPolicy.refuses(
            draft.state(), payload.bytes(), /* small= */ payload instanceof Payload.Inline)) {
      return new AppendOutcome.TooManySegments(StreamState.MAX_SEGMENTS);
    }
    return refusal;
  }

  private void create(Command.Create command, Batch batch) throws IOException {
    CreateRequest request = command.request();
    String path = request.path();
    Draft existing = batch.draft(path);
    Stream published = existing == null ? catalog.find(path) : null;
    // Asked once: a reader who has found it before may begin its time anew meanwhile.
    Stream expired = published != null && isExpired(published) ? published : null;
    if (published != null && expired == null) {
      existing = batch.draft(path, new Draft(published, /* created= */ false));
    }
    StreamState inTheWay = inTheWay(existing, expired);
    CreateRequest.ForkRequest fork = request.fork();
    Stream source = fork == null ? null : find(fork.sourcePath());
    CreateOutcome refusal =
        isRepeated(request, inTheWay)
            ? null
            : CreatePolicy.refuseFork(source == null ? null : source.state(), request);
    if (refusal != null) {
      batch.answer(() -> command.answer().complete(refusal));
      return;
    }
    if (inTheWay != null) {
      CreateOutcome outcome = compare(inTheWay, request);
      batch.answer(() -> command.answer().complete(outcome));
      return;
    }
    StreamConfig config = CreatePolicy.config(request, source == null ? null : source.state());
    long point = fork == null ? 0 : fork.pointOffset();
    boolean hasBytes = command.payload().bytes() > 0;
    if (source != null && SegmentPolicy.refusesFork(source.state(), point, hasBytes)) {
      batch.answer(() ->
          command.answer().complete(new CreateOutcome.TooManySegments(StreamState.MAX_SEGMENTS)));
      return;
    }
    checkRoomInCatalog();
    List<Segment> inherited = source == null ? List.of() : source.state().segmentsBefore(point);
    Mutation.Created created =
        new Mutation.Created(
            ids.getAndIncrement(), path, config, clock.nowMillis(), inherited, point);
    Draft draft = new Draft(new Stream(created.toState(), clock.nowMillis()), /* created= */ true);
    record.clear();
    if (expired != null) {
      RecordCodec.write(new Mutation.Deleted(expired.state().streamId()), record);
    }
    RecordCodec.write(created, record);
    Mutation.Appended first = null;
    if (hasBytes || request.closed()) {
      first = place(draft.state(), command.payload(), request.closed(), null, null, batch);
      RecordCodec.write(first, record);
      draft.apply(first);
    }
    journals.current().add(record.contents(), inlineBytes(command.payload()));
    if (expired != null) {
      batch.onDurable(() -> discard(catalog.delete(expired)));
    }
    batch.draft(path, draft);
    long bytes = first == null ? 0 : first.bytes();
    batch.answer(() -> {
      if (bytes > 0) {
        count(bytes);
      }
      command.answer().complete(new CreateOutcome.Created(draft.state()));
    });
  }

  /** Whether a fork was made by the same request before, whatever has become of its source. */
  private boolean isRepeated(CreateRequest request, @Nullable StreamState inTheWay) {
    return inTheWay != null && compare(inTheWay, request) instanceof CreateOutcome.Exists;
  }

  private CreateOutcome compare(StreamState inTheWay, CreateRequest request) {
    CreateRequest.ForkRequest fork = request.fork();
    Stream source = fork == null ? null : catalog.find(fork.sourcePath());
    return CreatePolicy.compare(inTheWay, request, source == null ? null : source.state());
  }

  /** What keeps a path from being taken; an expired stream does only while it has forks. */
  private @Nullable StreamState inTheWay(@Nullable Draft existing, @Nullable Stream expired) {
    if (existing != null) {
      return existing.state();
    }
    return expired != null && catalog.hasForks(expired.state().streamId())
        ? expired.state().asSoftDeleted()
        : null;
  }

  private void delete(Command.Delete command, Batch batch) throws IOException {
    Stream stream = catalog.find(command.path());
    DeleteOutcome outcome;
    if (stream == null) {
      outcome = DeleteOutcome.NOT_FOUND;
    } else if (stream.state().softDeleted()) {
      outcome = DeleteOutcome.GONE;
    } else if (stream.isExpired(clock.nowMillis())) {
      remove(stream, batch);
      outcome = DeleteOutcome.NOT_FOUND;
    } else if (command.expiredOnly()) {
      outcome = DeleteOutcome.NOT_FOUND;
    } else {
      remove(stream, batch);
      outcome = DeleteOutcome.DELETED;
    }
    batch.answer(() -> command.answer().complete(outcome));
  }

  private void remove(Stream stream, Batch batch) throws IOException {
    record.clear();
    RecordCodec.write(new Mutation.Deleted(stream.state().streamId()), record);
    journals.current().add(record.contents(), NOTHING);
    batch.delete(stream.state().path());
    batch.onDurable(() -> discard(catalog.delete(stream)));
  }

  /** Puts the payload where it is to lie, and says so. */
  private Mutation.Appended place(
      StreamState state,
      Payload payload,
      boolean closes,
      @Nullable String sequence,
      @Nullable ProducerTag producer,
      Batch batch)
      throws SegmentWriteException {
    long offset = state.tailOffset();
    Segment segment = segmentFor(state, payload);
    switch (payload) {
      case Payload.None none -> {}
      case Payload.Inline inline -> writeInline(segment, offset, inline, batch);
      case Payload.Spooled spooled -> batch.onDurable(spooled::keep);
    }
    return new Mutation.Appended(
        state.streamId(),
        segment,
        offset,
        payload.bytes(),
        payload instanceof Payload.Inline,
        closes,
        sequence,
        producer);
  }

  private Segment segmentFor(StreamState state, Payload payload) {
    long offset = state.tailOffset();
    return switch (payload) {
      case Payload.None none -> new Segment(0, offset, /* growing= */ false);
      case Payload.Spooled spooled -> new Segment(spooled.fileId(), offset, /* growing= */ false);
      case Payload.Inline inline -> {
        Segment shared = SegmentPolicy.shared(state, inline.bytes());
        yield shared != null
            ? shared
            : new Segment(ids.getAndIncrement(), offset, /* growing= */ true);
      }
    };
  }

  private void writeInline(Segment segment, long offset, Payload.Inline inline, Batch batch)
      throws SegmentWriteException {
    boolean isNew = segment.startOffset() == offset;
    long position = offset - segment.startOffset();
    try {
      journals.markDirty(segment.fileId());
      files.toWriteAt(segment.fileId(), position).write(inline.contents().duplicate(), position);
    } catch (IOException e) {
      // Also where it is to be deleted, which is later.
      files.cut(segment.fileId(), position);
      if (isNew) {
        discard(List.of(segment.fileId()));
      }
      throw new SegmentWriteException(e);
    }
    batch.wroteTo(segment.fileId(), position);
    if (isNew) {
      batch.createdFile(segment.fileId());
    }
  }

  private static ByteBuffer inlineBytes(Payload payload) {
    return payload instanceof Payload.Inline inline ? inline.contents() : NOTHING;
  }

  private void count(long bytes) {
    stats.appends.increment();
    stats.appendedBytes.add(bytes);
  }

  private @Nullable Draft draft(String path, Batch batch) {
    Draft draft = batch.draft(path);
    if (draft != null) {
      return draft;
    }
    Stream stream = find(path);
    return stream == null ? null : batch.draft(path, new Draft(stream, /* created= */ false));
  }

  private @Nullable Stream find(String path) {
    return findExpired(path) == null ? catalog.find(path) : null;
  }

  /** A stream that is in the way and that nobody can see any more. */
  private @Nullable Stream findExpired(String path) {
    Stream stream = catalog.find(path);
    return stream != null && isExpired(stream) ? stream : null;
  }

  private boolean isExpired(Stream stream) {
    return !stream.state().softDeleted() && stream.isExpired(clock.nowMillis());
  }
}
