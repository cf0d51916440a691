package dev.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import java.io.File;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What a module exports names only types that its users can read, who require this module alone.
 * Annotations do not count: a compiler does without those that it does not find.
 */
class ExportedTypesTest {
  /** Packages whose types stay inside, although exported signatures name them. */
  private static final Set<String> INSIDE =
      Set.of(
          "dev.weir.memory.pages", // page heaps are the pool's: nobody else has one
          "dev.weir.memory.guard", // so are hardeners
          "dev.weir.netty.buffer", // a superclass, of which all that is inherited is Netty's
          "dev.weir.cache.block", // optional: meters for those who have such caches
          "dev.weir.cache.log", // the same
          "io.netty.channel.uring"); // optional: there for those who make loops of it

  /** Types for one module of the project alone, which may see more. */
  private static final Set<String> FOR_ONE_MODULE = Set.of("dev.weir.memory.AllocatorSupport");

  /** Of modules that are optional: there for those who use them. */
  private static final Set<String> OPTIONAL =
      Set.of(
          "dev.weir.micrometer.GateMetrics names dev.weir.netty.flow.ReadGate",
          "dev.weir.micrometer.GateMetrics names dev.weir.netty.write.WriteGate");

  private static final Map<String, ModuleDescriptor> MODULES = new HashMap<>();
  private static final Map<String, ModuleDescriptor> OWNERS = new HashMap<>();

  static {
    Stream.concat(
            ModuleFinder.ofSystem().findAll().stream(),
            Pattern.compile(File.pathSeparator)
                .splitAsStream(System.getProperty("java.class.path"))
                .filter(entry -> !entry.contains("test-classes") && !entry.endsWith("-tests.jar"))
                .flatMap(entry -> ModuleFinder.of(Path.of(entry)).findAll().stream()))
        .map(ModuleReference::descriptor)
        .forEach(module -> {
          MODULES.put(module.name(), module);
          module.packages().forEach(name -> OWNERS.put(name, module));
        });
  }

  @Test
  void everyTypeOfASignatureCanBeRead() {
    Set<String> hidden = new TreeSet<>();
    for (JavaClass type : WeirClasses.MAIN) {
      if (isExported(type) && isVisible(type) && !FOR_ONE_MODULE.contains(type.getName())) {
        Set<String> readable = readableBy(OWNERS.get(type.getPackageName()));
        namedBy(type)
            .filter(named -> !INSIDE.contains(named.getPackageName()))
            .filter(named -> !isExported(named) || !readable.contains(module(named)))
            .forEach(named -> hidden.add(type.getName() + " names " + named.getName()));
      }
    }

    assertThat(hidden).containsExactlyInAnyOrderElementsOf(OPTIONAL);
  }

  private static String module(JavaClass type) {
    return OWNERS.get(type.getPackageName()).name();
  }

  private static boolean isExported(JavaClass type) {
    ModuleDescriptor owner = OWNERS.get(type.getPackageName());
    return owner.isAutomatic()
        || owner.exports().stream()
            .anyMatch(
                export -> !export.isQualified() && export.source().equals(type.getPackageName()));
  }

  private static boolean isVisible(JavaClass type) {
    return isVisible(type.getModifiers())
        && type.getEnclosingClass().map(ExportedTypesTest::isVisible).orElse(true);
  }

  private static boolean isVisible(Set<JavaModifier> modifiers) {
    return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
  }

  /** The classes of the type's own declaration, and of its visible members'. */
  private static Stream<JavaClass> namedBy(JavaClass type) {
    Stream<JavaType> supertypes =
        Stream.concat(type.getSuperclass().stream(), type.getInterfaces().stream());
    Stream<JavaClass> ofMembers =
        type.getMembers().stream()
            .filter(member -> isVisible(member.getModifiers()))
            .map(JavaMember::getAllInvolvedRawTypes)
            .flatMap(Collection::stream);
    return Stream.concat(
            supertypes.map(JavaType::getAllInvolvedRawTypes).flatMap(Collection::stream), ofMembers)
        .map(JavaClass::getBaseComponentType)
        .filter(named -> !named.isPrimitive());
  }

  /** The module and what it requires transitively. */
  private static Set<String> readableBy(ModuleDescriptor module) {
    Set<String> names = new HashSet<>(Set.of("java.base"));
    addReadable(module, names);
    return names;
  }

  private static void addReadable(ModuleDescriptor module, Set<String> names) {
    if (module != null && names.add(module.name())) {
      module.requires().stream()
          .filter(required -> required.modifiers().contains(Requires.Modifier.TRANSITIVE))
          .forEach(required -> addReadable(MODULES.get(required.name()), names));
    }
  }
}
