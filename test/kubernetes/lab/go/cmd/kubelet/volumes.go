package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// volumes of a pod: folders of this machine that containers mount.
type volumes struct {
	worker *worker
	folder string
	tokens map[string]*token
}

const defaultMode = 0o644

// source is the folder of a volume, and whether containers may not write to it.
func (v *volumes) source(name string) (path string, readOnly bool, err error) {
	for _, volume := range v.worker.latest().Spec.Volumes {
		if volume.Name != name {
			continue
		}
		if volume.HostPath != nil {
			return volume.HostPath.Path, false, nil
		}
		return filepath.Join(v.folder, name), volume.EmptyDir == nil, nil
	}
	return "", false, fmt.Errorf("no volume %s", name)
}

// refresh makes the volumes, and brings them up to date later.
func (v *volumes) refresh() error {
	for i := range v.worker.latest().Spec.Volumes {
		volume := &v.worker.latest().Spec.Volumes[i]
		folder := filepath.Join(v.folder, volume.Name)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if volume.EmptyDir != nil {
			// Any user of the pod may write.
			if err := os.Chmod(folder, 0o777); err != nil {
				return err
			}
			continue
		}
		files, err := v.files(&volume.VolumeSource, volume.Name)
		if err != nil {
			return fmt.Errorf("volume %s: %w", volume.Name, err)
		}
		if files == nil {
			continue
		}
		if err := replaceFiles(folder, files, v.fsGroup()); err != nil {
			return err
		}
	}
	return nil
}

func (v *volumes) fsGroup() *int64 {
	if s := v.worker.latest().Spec.SecurityContext; s != nil {
		return s.FSGroup
	}
	return nil
}

// file of a volume.
type file struct {
	content []byte
	mode    os.FileMode
}

type files map[string]file

func (v *volumes) files(source *corev1.VolumeSource, name string) (files, error) {
	found := files{}
	switch {
	case source.ConfigMap != nil:
		values, err := v.configMap(source.ConfigMap.Name, source.ConfigMap.Optional)
		return found, errors.Join(err, found.add(values, source.ConfigMap.Items, source.ConfigMap.DefaultMode))
	case source.Secret != nil:
		values, err := v.secret(source.Secret.SecretName, source.Secret.Optional)
		return found, errors.Join(err, found.add(values, source.Secret.Items, source.Secret.DefaultMode))
	case source.DownwardAPI != nil:
		return found, v.addFields(found, source.DownwardAPI.Items, source.DownwardAPI.DefaultMode)
	case source.Projected != nil:
		for i := range source.Projected.Sources {
			if err := v.project(found, &source.Projected.Sources[i], name, source.Projected.DefaultMode); err != nil {
				return nil, err
			}
		}
		return found, nil
	case source.HostPath != nil:
		return nil, nil
	}
	return nil, errors.New("this kind of volume is not supported")
}

func (v *volumes) project(found files, source *corev1.VolumeProjection, volume string, mode *int32) error {
	switch {
	case source.ServiceAccountToken != nil:
		text, err := v.token(volume, source.ServiceAccountToken)
		if err != nil {
			return err
		}
		found[source.ServiceAccountToken.Path] = file{content: []byte(text), mode: modeOf(mode)}
		return nil
	case source.ConfigMap != nil:
		values, err := v.configMap(source.ConfigMap.Name, source.ConfigMap.Optional)
		return errors.Join(err, found.add(values, source.ConfigMap.Items, mode))
	case source.Secret != nil:
		values, err := v.secret(source.Secret.Name, source.Secret.Optional)
		return errors.Join(err, found.add(values, source.Secret.Items, mode))
	case source.DownwardAPI != nil:
		return v.addFields(found, source.DownwardAPI.Items, mode)
	}
	return errors.New("this kind of projection is not supported")
}

func (f files) add(values map[string][]byte, items []corev1.KeyToPath, mode *int32) error {
	if len(items) == 0 {
		for key, value := range values {
			f[key] = file{content: value, mode: modeOf(mode)}
		}
	}
	for _, item := range items {
		value, found := values[item.Key]
		if !found && values != nil {
			return fmt.Errorf("no key %s", item.Key)
		}
		if item.Mode != nil {
			mode = item.Mode
		}
		f[item.Path] = file{content: value, mode: modeOf(mode)}
	}
	return nil
}

func (v *volumes) addFields(found files, items []corev1.DownwardAPIVolumeFile, mode *int32) error {
	for _, item := range items {
		var text string
		var err error
		if item.FieldRef != nil {
			text, err = v.worker.field(item.FieldRef.FieldPath)
		} else {
			text, err = v.worker.resourceOf(item.ResourceFieldRef)
		}
		if err != nil {
			return err
		}
		found[item.Path] = file{content: []byte(text), mode: modeOf(mode)}
	}
	return nil
}

func (w *worker) resourceOf(selector *corev1.ResourceFieldSelector) (string, error) {
	for _, c := range w.containers {
		if c.spec.Name == selector.ContainerName {
			return resourceField(selector, c.spec)
		}
	}
	return "", fmt.Errorf("no container %s", selector.ContainerName)
}

func modeOf(mode *int32) os.FileMode {
	if mode == nil {
		return defaultMode
	}
	return os.FileMode(*mode)
}

// configMap gives the values of a ConfigMap; none and no error if it is missing and may be.
func (v *volumes) configMap(name string, optional *bool) (map[string][]byte, error) {
	object, err := v.worker.pods.store.configMaps.ConfigMaps(v.worker.latest().Namespace).Get(name)
	if err != nil {
		return nil, notFound(err, optional)
	}
	values := map[string][]byte{}
	for key, text := range object.Data {
		values[key] = []byte(text)
	}
	for key, bytes := range object.BinaryData {
		values[key] = bytes
	}
	return values, nil
}

func (v *volumes) secret(name string, optional *bool) (map[string][]byte, error) {
	object, err := v.worker.pods.store.secrets.Secrets(v.worker.latest().Namespace).Get(name)
	if err != nil {
		return nil, notFound(err, optional)
	}
	return object.Data, nil
}

func notFound(err error, optional *bool) error {
	if apierrors.IsNotFound(err) && isTrue(optional) {
		return nil
	}
	return err
}

// lines in the format of the downward API.
func lines(values map[string]string) string {
	var sorted []string
	for key, value := range values {
		sorted = append(sorted, fmt.Sprintf("%s=%q", key, value))
	}
	sort.Strings(sorted)
	return strings.Join(sorted, "\n")
}
